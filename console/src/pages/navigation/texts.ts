import { texts } from "../../i18n/types";

export const navigation = texts({}, {});
