import { texts } from "../../i18n/types";

export const roles = texts({}, {});
