export { ApiKeyCreate } from "./ApiKeyCreate";
export { ApiKeyList } from "./ApiKeyList";
export { ApiKeyPage } from "./ApiKeyPage";
