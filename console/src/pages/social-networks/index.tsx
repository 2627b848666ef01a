export function SocialNetworkList() {
  return <h1>SocialNetworkList</h1>;
}

export function SocialNetworkCreate() {
  return <h1>SocialNetworkCreate</h1>;
}

export function SocialNetworkPage() {
  return <h1>SocialNetworkPage</h1>;
}
