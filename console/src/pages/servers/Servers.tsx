import { Box, Stack } from "@mui/material";
import { useState } from "react";
import { api, body, type Schemas } from "../../api/client";
import { CopyButton } from "../../components/CopyField";
import { DeleteButton } from "../../components/DeleteDialog";
import type { Values } from "../../components/form/conflict";
import { CreateForm } from "../../components/form/CreateForm";
import { ListPage, UnsortedColumn } from "../../components/list/ListPage";
import { recordPage } from "../../components/recordPage";
import { Columns, Page, Panel } from "../../components/Page";
import { LabelledSwitch, SwitchColumn } from "../../components/RecordSwitch";
import { Code, Muted } from "../../components/text";
import { UrlTabs } from "../../components/UrlTabs";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { addressOf, withPlace } from "./address";
import { CommandsPanel } from "./CommandsPanel";
import { ConsolePanel } from "./ConsolePanel";
import { HistoryPanel } from "./HistoryPanel";
import type { Live, Server, ServerRow } from "./live";
import { HistoryCell, LatencyCell, MapCell, PlayersCell, StateCell } from "./LiveCells";
import { LivePanel, PlayersPanel, TrialResult } from "./LivePanels";
import { GameName, ServerFields, SettingsPanel } from "./ServerFields";

const Column = UnsortedColumn<ServerRow>;

export function ServerList() {
  const t = useText();
  return (
    <ListPage<ServerRow>
      resource="servers"
      card={(server) => ({
        title: server.name,
        detail: (
          <Stack sx={{ gap: 0.5 }}>
            <Box>
              #{server.id} · {addressOf(server)}
            </Box>
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
        render={({ id, name, game }) => (
          <Box>
            <Box sx={{ fontWeight: 600 }}>{name}</Box>
            <Muted>
              #{id} · <GameName id={game} />
            </Muted>
          </Box>
        )}
      />
      <Column
        source="ip"
        label={t("servers.fields.address")}
        render={(server) => <Code>{addressOf(server)}</Code>}
      />
      <Column
        label={t("common.state")}
        render={({ id, enabled }) => <StateCell id={id} isEnabled={enabled} />}
      />
      <Column label={t("servers.fields.players")} render={({ id }) => <PlayersCell id={id} />} />
      <Column label={t("servers.fields.map")} render={({ id }) => <MapCell id={id} />} />
      <Column label={t("servers.fields.latency")} render={({ id }) => <LatencyCell id={id} />} />
      <Column label={t("servers.fields.day")} render={({ id }) => <HistoryCell id={id} />} />
      <SwitchColumn<ServerRow>
        resource="servers"
        field="enabled"
        title={t("common.enabled")}
        label={({ name }) => t("servers.enable", { name })}
        name={({ name }) => name}
      />
    </ListPage>
  );
}

const FIELDS = ["name", "game", "address", "query_port", "rcon_password"];

interface Trial {
  id: number;
  live: Live;
}

/**
 * Adds a server. The service queries stored servers only, so the server is saved first, then
 * queried at once. If it does not answer, the form stays: a correction changes the saved server and
 * queries it again, and the person can also keep or delete it as it is.
 */
export function ServerCreate() {
  const t = useText();
  const [saved, setSaved] = useState<number | null>(null);
  const [trial, setTrial] = useState<Trial | null>(null);

  const store = async (values: Values): Promise<number> => {
    if (saved === null) {
      const { server } = await body(
        api.POST("/api/servers", { body: values as Schemas["NewServer"] }),
      );
      setSaved(server.id);
      return server.id;
    }
    await api.PUT("/api/servers/{id}", {
      params: { path: { id: saved } },
      body: values as Schemas["ServerChanges"],
    });
    return saved;
  };

  const create = async (values: Values) => {
    setTrial(null);
    const id = await withPlace(values, store);
    const { live } = await body(api.POST("/api/servers/{id}/query", { params: { path: { id } } }));
    setTrial({ id, live });
    return undefined;
  };

  return (
    <Page
      narrow
      title={t("servers.create.title")}
      subtitle={t("servers.create.hint")}
      back="servers"
    >
      {trial !== null && <TrialResult {...trial} />}
      <Panel>
        <CreateForm
          fields={FIELDS}
          submit={t(saved === null ? "servers.create.submit" : "servers.create.again")}
          // The server stays saved, so there is nothing to cancel any more.
          {...(saved !== null && { cancel: t("common.close") })}
          create={create}
        >
          <ServerFields />
        </CreateForm>
      </Panel>
    </Page>
  );
}

export const ServerPage = recordPage("servers", Content);

function Content({ record: server }: { record: Server }) {
  const t = useText();
  const canWrite = useCan("admin.servers");
  const canRun = useCan("admin.servers.rcon");
  const { id, name, enabled } = server;

  const overview = (
    <Columns widths="minmax(0, 2fr) minmax(0, 1fr)" gap={2}>
      <Box sx={{ display: "grid", gap: 2, gridTemplateColumns: "minmax(0, 1fr)" }}>
        <LivePanel server={server} />
        <HistoryPanel id={id} />
      </Box>
      <PlayersPanel id={id} />
    </Columns>
  );

  return (
    <Page
      title={name}
      badge={<StateCell id={id} isEnabled={enabled} />}
      subtitle={
        <>
          #{id}
          <CopyButton label={t("servers.number", { name })} value={String(id)} /> ·{" "}
          <GameName id={server.game} /> · {addressOf(server)}
        </>
      }
      back="servers"
      actions={
        <>
          <LabelledSwitch
            resource="servers"
            record={server}
            field="enabled"
            text={t("common.enabled")}
            label={t("servers.enable", { name })}
            name={name}
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
            text: t("common.settings"),
            content: (
              <Stack sx={{ gap: 2 }}>
                <SettingsPanel server={server} />
                <CommandsPanel server={server} />
              </Stack>
            ),
            keepMounted: true,
          },
        ]}
      />
    </Page>
  );
}
