import { Alert, Button } from "@mui/material";
import { useState } from "react";
import { SelectInput, TextInput } from "react-admin";
import { useWatch } from "react-hook-form";
import { api, body } from "../../api/client";
import { FormDialog } from "../../components/form/FormDialog";
import { useDone } from "../../components/useAct";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { useProducts } from "../payments/choices";
import { GrantView } from "../payments/grants/GrantView";
import { ProductServerInput } from "../payments/products/ProductServerInput";
import { Entries } from "./Entries";
import type { User } from "./user";

/** The products that the user was given, and the way to give another one. */
export function GrantsPanel({ user }: { user: User }) {
  const t = useText();
  const mayWrite = useCan("admin.products");
  const [isGiving, setGiving] = useState(false);
  return (
    <>
      <Entries
        title={t("common.resources.grants")}
        actions={mayWrite && <Button onClick={() => setGiving(true)}>{t("grants.give")}</Button>}
        queryKey={["grants", "user", user.id]}
        read={async (count) => {
          const query = { user_id: user.id, per_page: count };
          return (await body(api.GET("/api/grants", { params: { query } }))).grants;
        }}
        empty={t("grants.noneOfUser")}
        entry={(grant) => <GrantView grant={grant} on="user" />}
      />
      {isGiving && <GiveProduct user={user} onClose={() => setGiving(false)} />}
    </>
  );
}

/** Gives the user a product without an invoice. */
function GiveProduct({ user, onClose }: { user: User; onClose: () => void }) {
  const t = useText();
  const done = useDone();
  return (
    <FormDialog
      title={t("grants.giveTitle", { name: user.username })}
      fields={["product_id", "server_id", "reason"]}
      submit={t("grants.give")}
      save={async ({ product_id, server_id, reason }) => {
        await api.POST("/api/grants", {
          body: {
            user_id: user.id,
            product_id: Number(product_id ?? 0),
            ...(typeof server_id === "number" && { server_id }),
            ...(typeof reason === "string" && { reason }),
          },
        });
        done(t("grants.giveDone"));
      }}
      onClose={onClose}
    >
      <Alert severity="info">{t("grants.giveHint")}</Alert>
      <ProductFields />
      <TextInput
        source="reason"
        label={t("common.reason")}
        helperText={false}
        multiline
        slotProps={{ htmlInput: { maxLength: 1000 } }}
      />
    </FormDialog>
  );
}

function ProductFields() {
  const t = useText();
  const products = useProducts().filter(({ active }) => active);
  const chosen = useWatch({ name: "product_id" }) as unknown;
  return (
    <>
      <SelectInput
        source="product_id"
        label={t("grants.product")}
        choices={products}
        optionText="name"
        translateChoice={false}
        helperText={products.length === 0 && `${t("lists.empty.products")}.`}
        isRequired
      />
      <ProductServerInput product={products.find(({ id }) => id === chosen)} />
    </>
  );
}
