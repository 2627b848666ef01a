import { texts } from "../../i18n/types";

export const operators = texts({}, {});
