export { ServerCreate } from "./ServerCreate";
export { ServerList } from "./ServerList";
export { ServerPage } from "./ServerPage";
