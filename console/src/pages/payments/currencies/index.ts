export { CurrencyCreate } from "./CurrencyCreate";
export { CurrencyList } from "./CurrencyList";
export { CurrencyPage } from "./CurrencyPage";
