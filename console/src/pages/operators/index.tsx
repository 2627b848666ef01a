export function OperatorList() {
  return <h1>OperatorList</h1>;
}

export function OperatorCreate() {
  return <h1>OperatorCreate</h1>;
}

export function OperatorPage() {
  return <h1>OperatorPage</h1>;
}
