import { texts } from "../../i18n/types";

export const system = texts({}, {});
