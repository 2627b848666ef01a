export function WebhookList() {
  return <h1>WebhookList</h1>;
}

export function WebhookCreate() {
  return <h1>WebhookCreate</h1>;
}

export function WebhookPage() {
  return <h1>WebhookPage</h1>;
}
