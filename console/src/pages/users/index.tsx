export { UserCreate } from "./UserCreate";
export { UserList } from "./UserList";
export { UserPage } from "./UserPage";
