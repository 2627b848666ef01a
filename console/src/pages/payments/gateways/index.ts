export { GatewayCreate } from "./GatewayCreate";
export { GatewayList } from "./GatewayList";
export { GatewayPage } from "./GatewayPage";
