import { Box } from "@mui/material";
import { api, type Schemas } from "../../../api/client";
import { useRead } from "../../../api/useRead";
import { useText } from "../../../i18n";
import { useCan } from "../../../session/session";
import { UserName } from "../grants/GrantView";
import { type Product, useGives } from "../products/product";

/** Says what a payment gives, and to whom. Without a product, it is nothing. */
export function WillBeGiven({ invoiceId: id }: { invoiceId: number }) {
  const params = { path: { id }, query: { include: "product" as const } };
  const { data } = useRead(["invoices", id, "grant"], () =>
    api.GET("/api/payment-invoices/{id}", { params }),
  );
  const { product, recipient_id: recipient } = data?.payment_invoice ?? {};
  if (product === null || product === undefined || typeof recipient !== "number") {
    return null;
  }
  return <Given product={product} recipient={recipient} />;
}

interface Props {
  product: NonNullable<Schemas["InvoiceDetail"]["product"]>;
  recipient: number;
}

function Given({ product: { id, name }, recipient }: Props) {
  const t = useText();
  const gives = useGives();
  const mayRead = useCan("admin.products.read");
  const { data } = useRead(
    ["products", id],
    () => api.GET("/api/products/{id}", { params: { path: { id } } }),
    { enabled: mayRead },
  );
  const product = data?.product as Product | undefined;
  return (
    <Box sx={{ mt: 1.5 }}>
      {t("payments.invoices.willBeGiven", { name })} <UserName id={recipient} />
      {product !== undefined && `: ${gives(product.steps)}`}.
    </Box>
  );
}
