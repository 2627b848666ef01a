export function PageList() {
  return <h1>PageList</h1>;
}

export function PageCreate() {
  return <h1>PageCreate</h1>;
}

export function PagePage() {
  return <h1>PagePage</h1>;
}
