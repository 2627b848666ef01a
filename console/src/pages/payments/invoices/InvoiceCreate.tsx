import { useEffect, useState } from "react";
import { SelectInput, TextInput } from "react-admin";
import { useFormContext, useWatch } from "react-hook-form";
import { useSearchParams } from "react-router";
import type { Schemas } from "../../../api/client";
import type { Values } from "../../../components/form/conflict";
import { CreatePage } from "../../../components/form/CreateForm";
import { useFormat, useText } from "../../../i18n";
import { AmountInput } from "../AmountInput";
import { useCurrencies, useGateways, useProducts } from "../choices";
import { NothingYet } from "../NothingYet";
import { ProductServerInput } from "../products/ProductServerInput";
import { UserInput } from "../UserInput";
import { DiscountPreview } from "./DiscountPreview";

type Product = Schemas["ProductItem"];

/** Who gets the product, and where, is sent only with a product. */
function newInvoice({ product_id, recipient_id, server_id, ...rest }: Values): Values {
  return typeof product_id === "number" ? { ...rest, product_id, recipient_id, server_id } : rest;
}

/** The user and the product that the address names, for links from their pages. */
function startOf(search: URLSearchParams): Values {
  const named = ["user_id", "product_id"].flatMap((name) => {
    const value = search.get(name) ?? "";
    return /^\d{1,15}$/.test(value) ? [[name, Number(value)] as const] : [];
  });
  return Object.fromEntries(named);
}

export function InvoiceCreate() {
  const [search] = useSearchParams();
  const [start] = useState(() => startOf(search));
  return (
    <CreatePage
      resource="invoices"
      defaults={start}
      fields={[
        "user_id",
        "gateway",
        "currency_id",
        "amount",
        "promo_code",
        "product_id",
        "recipient_id",
        "server_id",
      ]}
      toBody={newInvoice}
    >
      <Fields />
    </CreatePage>
  );
}

function Fields() {
  const t = useText();
  const format = useFormat();
  const gateways = useGateways().filter(({ enabled }) => enabled);
  const product = useChosenProduct();
  const currencies = useCurrencies().filter(
    ({ id }) => product?.prices.some((price) => price.currency_id === id) ?? true,
  );
  const chosen = useWatch({ name: "currency_id" }) as number | undefined;
  const currency = currencies.find(({ id }) => id === chosen);
  const smallest = currency?.minimum ?? null;
  useOnlyChoice("gateway", gateways.length === 1 ? gateways[0]?.key : undefined);
  useOnlyChoice("currency_id", currencies.length === 1 ? currencies[0]?.id : undefined);
  return (
    <>
      <UserInput source="user_id" required />
      <SelectInput
        source="gateway"
        label={t("payments.gateway")}
        choices={gateways.map(({ key, name }) => ({ id: key, name }))}
        translateChoice={false}
        helperText={false}
        isRequired
      />
      {gateways.length === 0 && <NothingYet of="gateways" />}
      <ProductInputs product={product} />
      <SelectInput
        source="currency_id"
        label={t("payments.currency")}
        choices={currencies.map(({ id, code }) => ({ id, name: code }))}
        translateChoice={false}
        helperText={false}
        isRequired
      />
      {currencies.length === 0 && <NothingYet of="currencies" />}
      <AmountInput
        source="amount"
        label={t("payments.amount.label")}
        required
        {...(currency !== undefined && { unit: currency.code })}
        {...(product !== undefined && {
          readOnly: true,
          hint: t("payments.invoices.priceHint"),
        })}
        {...(product === undefined &&
          currency !== undefined &&
          smallest !== null && {
            hint: t("payments.invoices.smallest", {
              amount: format.money(smallest, currency.code),
            }),
          })}
      />
      <TextInput
        source="promo_code"
        label={t("payments.promoCode")}
        helperText={t("payments.invoices.promoCodeHint")}
        slotProps={{ htmlInput: { maxLength: 50, spellCheck: false } }}
      />
      <DiscountPreview currency={currency?.code ?? null} />
    </>
  );
}

/** Chooses what is the only choice. That alone does not count as an unsaved change. */
function useOnlyChoice(name: string, only: string | number | undefined) {
  const { getValues, setValue } = useFormContext();
  useEffect(() => {
    const value: unknown = getValues(name);
    if (only !== undefined && (value === undefined || value === null || value === "")) {
      setValue(name, only);
    }
  }, [name, only, getValues, setValue]);
}

/** The product that is chosen in the form. It decides the amount, and proposes its first currency. */
function useChosenProduct(): Product | undefined {
  const products = useProducts();
  const { setValue } = useFormContext();
  const [productId, currencyId] = useWatch({ name: ["product_id", "currency_id"] }) as unknown[];
  const product = products.find(({ id }) => id === productId);
  const price = product?.prices.find((one) => one.currency_id === currencyId);
  const first = product?.prices[0]?.currency_id;
  const isSold = product === undefined || price !== undefined;
  useEffect(() => {
    if (!isSold) {
      setValue("currency_id", first ?? "");
    }
  }, [isSold, first, setValue]);
  useEffect(() => {
    if (price !== undefined) {
      setValue("amount", price.amount, { shouldDirty: true });
    }
  }, [price, setValue]);
  return product;
}

/** What the invoice is for, who gets it, and on which server. */
function ProductInputs({ product }: { product: Product | undefined }) {
  const t = useText();
  const products = useProducts().filter(({ active }) => active);
  if (products.length === 0) {
    return null;
  }
  return (
    <>
      <SelectInput
        source="product_id"
        label={t("grants.product")}
        choices={products}
        optionText="name"
        translateChoice={false}
        emptyText={t("payments.invoices.noProduct")}
        helperText={t("payments.invoices.productHint")}
      />
      {product !== undefined && (
        <UserInput
          source="recipient_id"
          label={t("payments.invoices.recipient")}
          hint={t("payments.invoices.recipientHint")}
        />
      )}
      <ProductServerInput product={product} />
    </>
  );
}
