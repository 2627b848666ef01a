import { texts } from "../../i18n/types";

export const servers = texts({}, {});
