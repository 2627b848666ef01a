import AddIcon from "@mui/icons-material/Add";
import PaymentsOutlined from "@mui/icons-material/PaymentsOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { DataTable, type RaRecord } from "react-admin";
import { Link } from "react-router";
import type { Schemas } from "../../../api/client";
import { EmptyState } from "../../../components/EmptyState";
import { ListPage } from "../../../components/list/ListPage";
import { RecordSwitch } from "../../../components/RecordSwitch";
import { When } from "../../../components/When";
import { useText } from "../../../i18n";
import { useCan } from "../../../session/session";
import { MONOSPACE } from "../../../theme/tokens";
import { useGatewayLabels } from "./GatewayFields";
import { GatewayState } from "./GatewayState";

type Gateway = Schemas["GatewayItem"] & RaRecord;
const Column = DataTable.Col<Gateway>;

export function GatewayList() {
  const t = useText();
  const labels = useGatewayLabels();
  const canWrite = useCan("admin.payments");
  const add = canWrite && (
    <Button variant="contained" startIcon={<AddIcon />} component={Link} to="/gateways/create">
      {t("payments.gateways.new")}
    </Button>
  );
  const key = ({ key: text }: Gateway) => (
    <Box component="code" sx={{ fontFamily: MONOSPACE, fontSize: 13 }}>
      {text}
    </Box>
  );
  return (
    <ListPage<Gateway>
      resource="gateways"
      title={t("payments.gateways.title")}
      subtitle={t("payments.gateways.subtitle")}
      actions={add}
      empty={
        <EmptyState
          icon={PaymentsOutlined}
          title={t("payments.gateways.emptyTitle")}
          text={t("payments.gateways.emptyText")}
          action={add}
        />
      }
      card={(gateway) => ({
        title: gateway.name,
        detail: key(gateway),
        aside: <GatewayState enabled={gateway.enabled} />,
      })}
    >
      <Column source="name" label={labels.name} disableSort />
      <Column source="key" label={labels.key} disableSort render={key} />
      <Column
        source="enabled"
        label={labels.enabled}
        disableSort
        render={({ id, name, enabled }) => (
          <RecordSwitch
            resource="gateways"
            id={id}
            field="enabled"
            value={enabled}
            label={t("payments.gateways.enabledOf", { name })}
            readOnly={!canWrite}
          />
        )}
      />
      <Column
        source="created_at"
        label={t("common.createdAt")}
        disableSort
        render={({ created_at: at }) => <When at={at} />}
      />
    </ListPage>
  );
}
