import AddIcon from "@mui/icons-material/Add";
import CurrencyExchange from "@mui/icons-material/CurrencyExchange";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { DataTable, type RaRecord } from "react-admin";
import { Link } from "react-router";
import type { Schemas } from "../../../api/client";
import { EmptyState } from "../../../components/EmptyState";
import { ListPage } from "../../../components/list/ListPage";
import { Money } from "../../../components/Money";
import { State } from "../../../components/State";
import { useText } from "../../../i18n";
import { useFormat } from "../../../i18n/format";
import { useCan } from "../../../session/session";
import { plain } from "../decimal";
import { MakeDefault } from "./MakeDefault";
import { useCurrencyLabels } from "./CurrencyFields";
import { useBaseCode, useDefaultCurrency } from "./useDefaultCurrency";

type Currency = Schemas["CurrencyItem"] & RaRecord;
const Column = DataTable.Col<Currency>;

/** Ten places are stored; a rate shows those that it has. */
const RATE = { maximumFractionDigits: 10 };

export function CurrencyList() {
  const t = useText();
  const format = useFormat();
  const labels = useCurrencyLabels();
  const canWrite = useCan("admin.currencies");
  const standard = useDefaultCurrency();
  const base = useBaseCode();
  const add = canWrite && (
    <Button variant="contained" startIcon={<AddIcon />} component={Link} to="/currencies/create">
      {t("payments.currencies.new")}
    </Button>
  );
  const badge = ({ id }: Currency) =>
    id === standard?.id && <State tone="accent" text={t("payments.currencies.default")} />;
  const rate = ({ exchange_rate: value, code }: Currency) =>
    base === undefined || base === code
      ? format.number(plain(value), RATE)
      : t("payments.currencies.rateOf", {
          code,
          base,
          rate: format.number(plain(value), RATE),
        });
  return (
    <ListPage<Currency>
      resource="currencies"
      title={t("payments.currencies.title")}
      subtitle={t("payments.currencies.subtitle")}
      actions={add}
      empty={
        <EmptyState
          icon={CurrencyExchange}
          title={t("payments.currencies.emptyTitle")}
          text={t("payments.currencies.emptyText")}
          action={add}
        />
      }
      card={(currency) => ({
        title: currency.code,
        detail: rate(currency),
        aside: badge(currency),
      })}
    >
      <Column
        source="code"
        label={labels.code}
        disableSort
        render={(currency) => (
          <Box sx={{ display: "flex", alignItems: "center", gap: 1, fontWeight: 550 }}>
            {currency.code}
            {badge(currency)}
          </Box>
        )}
      />
      <Column
        source="minimum_value"
        label={labels.minimum_value}
        disableSort
        render={({ minimum_value: amount, code }) => <Money amount={amount} currency={code} />}
      />
      <Column source="exchange_rate" label={labels.exchange_rate} disableSort render={rate} />
      {canWrite && (
        <Column
          label={t("common.actions")}
          render={(currency) =>
            standard !== undefined &&
            standard.id !== currency.id && <MakeDefault currency={currency} />
          }
        />
      )}
    </ListPage>
  );
}
