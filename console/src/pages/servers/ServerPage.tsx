import Box from "@mui/material/Box";
import FormControlLabel from "@mui/material/FormControlLabel";
import { ETAG } from "../../api/dataProvider";
import { DeleteButton } from "../../components/DeleteButton";
import { OneRecord } from "../../components/OneRecord";
import { Page } from "../../components/Page";
import { RecordSwitch } from "../../components/RecordSwitch";
import { UrlTabs } from "../../components/UrlTabs";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { addressOf } from "./address";
import { ConsolePanel } from "./ConsolePanel";
import { GameName } from "./GameName";
import { HistoryPanel } from "./HistoryPanel";
import { StateCell } from "./LiveCells";
import { LivePanel } from "./LivePanel";
import { PlayersPanel } from "./PlayersPanel";
import { SettingsPanel } from "./SettingsPanel";
import type { Server } from "./types";

export function ServerPage() {
  return (
    <OneRecord<Server> resource="servers">{(server) => <Content server={server} />}</OneRecord>
  );
}

function Content({ server }: { server: Server }) {
  const t = useText();
  const canWrite = useCan("admin.servers");
  const canRun = useCan("admin.servers.rcon");
  const { id, name, enabled } = server;

  const overview = (
    <Box
      sx={{
        display: "grid",
        gap: 2,
        gridTemplateColumns: { xs: "minmax(0, 1fr)", lg: "minmax(0, 2fr) minmax(0, 1fr)" },
        alignItems: "start",
      }}
    >
      <Box sx={{ display: "grid", gap: 2, gridTemplateColumns: "minmax(0, 1fr)" }}>
        <LivePanel server={server} />
        <HistoryPanel id={id} />
      </Box>
      <PlayersPanel id={id} />
    </Box>
  );

  return (
    <Page
      title={name}
      badge={<StateCell id={id} isEnabled={enabled} />}
      subtitle={
        <>
          <GameName id={server.game} /> · {addressOf(server)}
        </>
      }
      back={{ to: "/servers", text: t("servers.title") }}
      actions={
        <>
          <FormControlLabel
            label={t("servers.fields.enabled")}
            slotProps={{ typography: { variant: "body2" } }}
            control={
              <RecordSwitch
                resource="servers"
                id={id}
                field="enabled"
                value={enabled}
                label={t("servers.enable", { name })}
                ifMatch={server[ETAG] as string | undefined}
                readOnly={!canWrite}
              />
            }
          />
          {canWrite && (
            <DeleteButton resource="servers" record={server} name={name}>
              {t("servers.deleteHint")}
            </DeleteButton>
          )}
        </>
      }
    >
      <UrlTabs
        label={name}
        tabs={[
          { name: "overview", text: t("servers.tabs.overview"), content: overview },
          ...(canRun
            ? [
                {
                  name: "console",
                  text: t("servers.tabs.console"),
                  content: <ConsolePanel server={server} />,
                },
              ]
            : []),
          {
            name: "settings",
            text: t("servers.tabs.settings"),
            content: <SettingsPanel server={server} />,
            keepMounted: true,
          },
        ]}
      />
    </Page>
  );
}
