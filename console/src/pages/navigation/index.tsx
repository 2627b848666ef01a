export function NavigationPage() {
  return <h1>NavigationPage</h1>;
}
