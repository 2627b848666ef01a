import type { RaRecord } from "react-admin";
import type { Schemas } from "../../api/client";

export type Webhook = Schemas["WebhookItem"] & RaRecord<number>;
export type Delivery = Schemas["DeliveryItem"];
export type Attempt = Schemas["DeliveryAttempt"];
export type DeliveryState = Delivery["state"];
export type WebhookFormat = Webhook["format"];

export const DELIVERY_STATES: DeliveryState[] = ["pending", "delivered", "failed"];
