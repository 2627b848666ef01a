export function GatewayList() {
  return <h1>GatewayList</h1>;
}

export function GatewayCreate() {
  return <h1>GatewayCreate</h1>;
}

export function GatewayPage() {
  return <h1>GatewayPage</h1>;
}
