import { texts } from "../../i18n/types";

export const webhooks = texts({}, {});
