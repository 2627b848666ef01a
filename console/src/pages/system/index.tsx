export function SystemPage() {
  return <h1>SystemPage</h1>;
}
