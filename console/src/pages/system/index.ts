export { SystemPage } from "./SystemPage";
