export { PageCreate } from "./PageCreate";
export { PageList } from "./PageList";
export { PagePage } from "./PagePage";
