export { OperatorCreate } from "./OperatorCreate";
export { OperatorList } from "./OperatorList";
export { OperatorPage } from "./OperatorPage";
