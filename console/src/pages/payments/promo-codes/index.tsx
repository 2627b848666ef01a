export function PromoCodeList() {
  return <h1>PromoCodeList</h1>;
}

export function PromoCodeCreate() {
  return <h1>PromoCodeCreate</h1>;
}

export function PromoCodePage() {
  return <h1>PromoCodePage</h1>;
}
