export { BanCreate } from "./BanCreate";
export { BanList } from "./BanList";
export { BanPage } from "./BanPage";
