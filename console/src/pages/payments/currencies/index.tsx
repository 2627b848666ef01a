export function CurrencyList() {
  return <h1>CurrencyList</h1>;
}

export function CurrencyCreate() {
  return <h1>CurrencyCreate</h1>;
}

export function CurrencyPage() {
  return <h1>CurrencyPage</h1>;
}
