export function UserList() {
  return <h1>UserList</h1>;
}

export function UserCreate() {
  return <h1>UserCreate</h1>;
}

export function UserPage() {
  return <h1>UserPage</h1>;
}
