import Add from "@mui/icons-material/Add";
import VpnKeyOutlined from "@mui/icons-material/VpnKeyOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Typography from "@mui/material/Typography";
import { DataTable } from "react-admin";
import { Link } from "react-router";
import type { Schemas } from "../../api/client";
import { EmptyState } from "../../components/EmptyState";
import { ListPage } from "../../components/list/ListPage";
import { When } from "../../components/When";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { MONOSPACE } from "../../theme/tokens";
import { ExpiryCell, LastUsedCell, NetworksCell, StateCell } from "./cells";

type Key = Schemas["ApiKeyItem"];
const Column = DataTable.Col<Key>;

export function ApiKeyList() {
  const t = useText();
  const create = useCan("admin.api-keys") ? (
    <Button component={Link} to="/api-keys/create" variant="contained" startIcon={<Add />}>
      {t("apiKeys.new")}
    </Button>
  ) : undefined;
  return (
    <ListPage<Key>
      resource="api-keys"
      title={t("apiKeys.title")}
      subtitle={t("apiKeys.subtitle")}
      actions={create}
      empty={
        <EmptyState
          icon={VpnKeyOutlined}
          title={t("apiKeys.empty.title")}
          text={t("apiKeys.empty.text")}
          action={create}
        />
      }
      card={(key) => ({
        title: key.name,
        detail: (
          <>
            {t("apiKeys.lastUsed")}: <LastUsedCell id={key.id} />
          </>
        ),
        aside: <StateCell apiKey={key} />,
      })}
    >
      <Column
        source="name"
        label={t("apiKeys.key")}
        disableSort
        render={({ name, key }) => (
          <>
            <Box sx={{ fontWeight: 550, overflowWrap: "anywhere" }}>{name}</Box>
            <Typography
              variant="body2"
              color="textSecondary"
              sx={{ fontFamily: MONOSPACE, fontSize: 12 }}
            >
              {key}
            </Typography>
          </>
        )}
      />
      <Column
        source="active"
        label={t("apiKeys.state")}
        disableSort
        render={(key) => <StateCell apiKey={key} />}
      />
      <Column
        label={t("apiKeys.lastUsed")}
        disableSort
        render={({ id }) => <LastUsedCell id={id} />}
      />
      <Column
        label={t("apiKeys.expires")}
        disableSort
        render={({ id }) => <ExpiryCell id={id} />}
      />
      <Column
        label={t("apiKeys.networks")}
        disableSort
        render={({ id }) => <NetworksCell id={id} />}
      />
      <Column
        source="created_at"
        label={t("common.createdAt")}
        disableSort
        render={({ created_at }) => <When at={created_at} />}
      />
    </ListPage>
  );
}
