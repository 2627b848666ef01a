export function RoleList() {
  return <h1>RoleList</h1>;
}

export function RoleCreate() {
  return <h1>RoleCreate</h1>;
}

export function RolePage() {
  return <h1>RolePage</h1>;
}
