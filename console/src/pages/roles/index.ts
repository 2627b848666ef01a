export { RoleCreate } from "./RoleCreate";
export { RoleList } from "./RoleList";
export { RolePage } from "./RolePage";
