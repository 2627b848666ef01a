export function ServerList() {
  return <h1>ServerList</h1>;
}

export function ServerCreate() {
  return <h1>ServerCreate</h1>;
}

export function ServerPage() {
  return <h1>ServerPage</h1>;
}
