export { WebhookCreate } from "./WebhookCreate";
export { WebhookList } from "./WebhookList";
export { WebhookPage } from "./WebhookPage";
