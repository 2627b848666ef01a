export function ApiKeyList() {
  return <h1>ApiKeyList</h1>;
}

export function ApiKeyCreate() {
  return <h1>ApiKeyCreate</h1>;
}

export function ApiKeyPage() {
  return <h1>ApiKeyPage</h1>;
}
