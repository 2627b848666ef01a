import FilterListIcon from "@mui/icons-material/FilterList";
import Button from "@mui/material/Button";
import { useState } from "react";
import { DateInput, SelectInput, TextInput, useListContext } from "react-admin";
import { useText } from "../../../i18n";
import { useCurrencies, useGateways } from "../choices";
import { UserInput } from "../UserInput";
import type { InvoiceFilter } from "./status";

/** Those that most people need are always there; the others appear on demand. */
const FURTHER: (keyof InvoiceFilter)[] = ["is_paid", "gateway", "currency_id", "promo_code"];

export function InvoiceFilters() {
  const t = useText();
  const { filterValues } = useListContext();
  const isUsed = FURTHER.some((name) => name in ((filterValues ?? {}) as InvoiceFilter));
  const [isOpen, setOpen] = useState(isUsed);
  const all = { emptyText: t("common.all"), translateChoice: false };
  return (
    <>
      <SelectInput
        source="status"
        label={t("payments.state")}
        choices={(["paid", "pending", "failed"] as const).map((id) => ({
          id,
          name: t(`payments.states.${id}`),
        }))}
        {...all}
      />
      <UserInput source="user_id" />
      <DateInput source="created_from" label={t("payments.from")} sx={{ width: 160 }} />
      <DateInput source="created_to" label={t("payments.to")} sx={{ width: 160 }} />
      {isOpen || isUsed ? (
        <FurtherFilters />
      ) : (
        <Button startIcon={<FilterListIcon />} onClick={() => setOpen(true)}>
          {t("payments.moreFilters")}
        </Button>
      )}
    </>
  );
}

function FurtherFilters() {
  const t = useText();
  const gateways = useGateways();
  const currencies = useCurrencies();
  const all = { emptyText: t("common.all"), translateChoice: false };
  return (
    <>
      <SelectInput
        source="gateway"
        label={t("payments.gateway")}
        choices={gateways.map(({ key, name }) => ({ id: key, name }))}
        {...all}
      />
      <SelectInput
        source="currency_id"
        label={t("payments.currency")}
        choices={currencies.map(({ id, code }) => ({ id, name: code }))}
        {...all}
      />
      <TextInput source="promo_code" label={t("payments.promoCode")} resettable />
      <SelectInput
        source="is_paid"
        label={t("payments.states.paid")}
        choices={[
          { id: "true", name: t("common.yes") },
          { id: "false", name: t("common.no") },
        ]}
        {...all}
      />
    </>
  );
}
