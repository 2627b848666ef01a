export { PromoCodeCreate } from "./PromoCodeCreate";
export { PromoCodeList } from "./PromoCodeList";
export { PromoCodePage } from "./PromoCodePage";
