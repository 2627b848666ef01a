import { texts } from "../../i18n/types";

export const payments = texts({}, {});
