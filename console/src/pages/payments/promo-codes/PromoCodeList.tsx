import AddIcon from "@mui/icons-material/Add";
import LocalOfferOutlined from "@mui/icons-material/LocalOfferOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useState } from "react";
import { DataTable, type RaRecord, SelectInput, TextInput } from "react-admin";
import { Link } from "react-router";
import type { Schemas } from "../../../api/client";
import { EmptyState } from "../../../components/EmptyState";
import { ListPage } from "../../../components/list/ListPage";
import { RecordSwitch } from "../../../components/RecordSwitch";
import { useText } from "../../../i18n";
import { useCan } from "../../../session/session";
import { PromoCodeState } from "./state";
import { Usage } from "./Usage";
import { Validity } from "./Validity";
import { Worth } from "./Worth";

type PromoCode = Schemas["PromoCodeItem"] & RaRecord;
const Column = DataTable.Col<PromoCode>;

export function PromoCodeList() {
  const t = useText();
  const canWrite = useCan("admin.payments");
  const [now] = useState(Date.now);
  const add = canWrite && (
    <Button variant="contained" startIcon={<AddIcon />} component={Link} to="/promo-codes/create">
      {t("payments.promoCodes.new")}
    </Button>
  );
  return (
    <ListPage<PromoCode>
      resource="promo-codes"
      title={t("payments.promoCodes.title")}
      subtitle={t("payments.promoCodes.subtitle")}
      actions={add}
      filters={<Filters />}
      empty={
        <EmptyState
          icon={LocalOfferOutlined}
          title={t("payments.promoCodes.emptyTitle")}
          text={t("payments.promoCodes.emptyText")}
          action={add}
        />
      }
      card={(code) => ({
        title: code.code,
        detail: (
          <>
            −<Worth code={code} />, <Usage code={code} />
          </>
        ),
        aside: <PromoCodeState code={code} now={now} />,
      })}
    >
      <Column
        source="code"
        label={t("payments.promoCodes.code")}
        disableSort
        render={({ code }) => <Box sx={{ fontWeight: 550 }}>{code}</Box>}
      />
      <Column
        source="value"
        label={t("payments.promoCodes.value")}
        disableSort
        render={(code) => <Worth code={code} />}
      />
      <Column
        source="usages_count"
        label={t("payments.promoCodes.usage")}
        disableSort
        render={(code) => <Usage code={code} />}
      />
      <Column
        label={t("payments.promoCodes.validity")}
        render={({ starts_at, expires_at }) => (
          <Validity starts_at={starts_at} expires_at={expires_at} />
        )}
      />
      <Column
        label={t("payments.state")}
        render={(code) => <PromoCodeState code={code} now={now} />}
      />
      <Column
        source="active"
        label={t("payments.promoCodes.active")}
        disableSort
        render={({ id, code, active }) => (
          <RecordSwitch
            resource="promo-codes"
            id={id}
            field="active"
            value={active}
            label={t("payments.promoCodes.activeOf", { code })}
            readOnly={!canWrite}
          />
        )}
      />
    </ListPage>
  );
}

function Filters() {
  const t = useText();
  return (
    <>
      <TextInput source="code" label={t("payments.promoCodes.exactCode")} resettable />
      <SelectInput
        source="active"
        label={t("payments.promoCodes.active")}
        choices={[
          { id: "true", name: t("common.yes") },
          { id: "false", name: t("common.no") },
        ]}
        emptyText={t("common.all")}
        translateChoice={false}
      />
    </>
  );
}
