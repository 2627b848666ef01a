import AddOutlined from "@mui/icons-material/AddOutlined";
import DnsOutlined from "@mui/icons-material/DnsOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Stack from "@mui/material/Stack";
import { DataTable } from "react-admin";
import { Link } from "react-router";
import { EmptyState } from "../../components/EmptyState";
import { ListPage } from "../../components/list/ListPage";
import { RecordSwitch } from "../../components/RecordSwitch";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { MONOSPACE } from "../../theme/tokens";
import { GameName } from "./GameName";
import { HistoryCell, LatencyCell, MapCell, PlayersCell, StateCell } from "./LiveCells";
import { addressOf } from "./address";
import type { ServerRow } from "./types";

const Column = DataTable.Col<ServerRow>;

export function ServerList() {
  const t = useText();
  const canWrite = useCan("admin.servers");
  const add = canWrite && (
    <Button component={Link} to="/servers/create" variant="contained" startIcon={<AddOutlined />}>
      {t("servers.add")}
    </Button>
  );
  return (
    <ListPage<ServerRow>
      resource="servers"
      title={t("servers.title")}
      actions={add}
      empty={
        <EmptyState
          icon={DnsOutlined}
          title={t("servers.empty.title")}
          text={t("servers.empty.text")}
          action={add}
        />
      }
      card={(server) => ({
        title: server.name,
        detail: (
          <Stack sx={{ gap: 0.5 }}>
            <Box>{addressOf(server)}</Box>
            <Stack direction="row" sx={{ gap: 1.5, alignItems: "center", flexWrap: "wrap" }}>
              <StateCell id={server.id} isEnabled={server.enabled} />
              {server.enabled && (
                <>
                  <PlayersCell id={server.id} />
                  <MapCell id={server.id} />
                </>
              )}
            </Stack>
          </Stack>
        ),
      })}
    >
      <Column
        source="name"
        label={t("common.name")}
        disableSort
        render={({ name, game }) => (
          <Box>
            <Box sx={{ fontWeight: 600 }}>{name}</Box>
            <Box sx={{ color: "text.secondary", fontSize: 13 }}>
              <GameName id={game} />
            </Box>
          </Box>
        )}
      />
      <Column
        source="ip"
        label={t("servers.fields.address")}
        disableSort
        render={(server) => (
          <Box component="span" sx={{ fontFamily: MONOSPACE, fontSize: 13 }}>
            {addressOf(server)}
          </Box>
        )}
      />
      <Column
        label={t("servers.fields.state")}
        render={({ id, enabled }) => <StateCell id={id} isEnabled={enabled} />}
      />
      <Column label={t("servers.fields.players")} render={({ id }) => <PlayersCell id={id} />} />
      <Column label={t("servers.fields.map")} render={({ id }) => <MapCell id={id} />} />
      <Column label={t("servers.fields.latency")} render={({ id }) => <LatencyCell id={id} />} />
      <Column label={t("servers.fields.day")} render={({ id }) => <HistoryCell id={id} />} />
      <Column
        source="enabled"
        label={t("servers.fields.enabled")}
        disableSort
        render={({ id, name, enabled }) => (
          <RecordSwitch
            resource="servers"
            id={id}
            field="enabled"
            value={enabled}
            label={t("servers.enable", { name })}
            readOnly={!canWrite}
          />
        )}
      />
    </ListPage>
  );
}
