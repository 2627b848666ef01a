import { Alert, Box, Button, FormControlLabel, Stack, Switch } from "@mui/material";
import { useState } from "react";
import { BooleanInput, useNotify, useRefresh } from "react-admin";
import { request, type Schemas } from "../../api/client";
import { ETAG } from "../../api/dataProvider";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { FormDialog } from "../../components/form/FormDialog";
import { FactGrid } from "../../components/Facts";
import { Panel } from "../../components/Page";
import { Code, Muted, When } from "../../components/text";
import { useDone } from "../../components/useAct";
import { type TextKey, useErrorText, useText } from "../../i18n";
import { useCan, useSession } from "../../session/session";
import { connectionOf, GuildInput, TokenInput } from "./Connect";
import type { Connection } from "./connection";
import { isRefused, isRoleProblem } from "./findings";

interface CheckProps {
  isBusy: boolean;
  onCheck: () => void;
}

export function CheckButton({ isBusy, onCheck }: CheckProps) {
  const t = useText();
  const mayWrite = useCan("admin.discord");
  return (
    mayWrite && (
      <Button variant="outlined" loading={isBusy} onClick={onCheck}>
        {t("discord.check.button")}
      </Button>
    )
  );
}

function put(connection: Connection, body: Schemas["DiscordChanges"]) {
  return request("PUT", "/api/discord", { body, ifMatch: connection[ETAG] });
}

interface Props {
  connection: Connection;
  onChange: () => void;
}

interface PanelProps extends Props {
  /** Whether the page says already what a check has found. */
  isExplained: boolean;
}

/** The state of the connection, and what can be changed of it. */
export function ConnectionPanel({ connection, isExplained, onChange }: PanelProps) {
  const t = useText();
  const mayWrite = useCan("admin.discord");
  const [dialog, setDialog] = useState<"change" | "disconnect" | null>(null);
  const close = () => setDialog(null);
  const { guild_id, checked_at } = connection;
  return (
    <Panel title={t("discord.connection.title")}>
      <Stack sx={{ gap: 2 }}>
        <Trouble connection={connection} isExplained={isExplained} />
        <FactGrid
          facts={[
            [t("discord.fields.guild"), <Code key="guild">{guild_id}</Code>],
            [t("discord.connection.checked"), <When key="checked" at={checked_at} />],
          ]}
        />
        <Box>
          <Toggle
            connection={connection}
            field="active"
            label={t("discord.connection.active")}
            name={t("discord.connection.activeName")}
            onChange={onChange}
          />
        </Box>
        <Box>
          <Toggle
            connection={connection}
            field="trust_links"
            label={t("discord.connection.trust")}
            name={t("discord.connection.trust")}
            risk={{
              title: t("discord.connection.trustTitle"),
              text: t("discord.connection.trustRisk"),
              confirm: t("discord.connection.trustConfirm"),
            }}
            onChange={onChange}
          />
          <Muted>
            {t(
              connection.trust_links
                ? "discord.connection.trustRisk"
                : "discord.connection.trustText",
            )}
          </Muted>
        </Box>
        {mayWrite && (
          <Box sx={{ display: "flex", flexWrap: "wrap", gap: 1 }}>
            <Button variant="outlined" onClick={() => setDialog("change")}>
              {t("discord.connection.change")}
            </Button>
            <Button color="error" onClick={() => setDialog("disconnect")}>
              {t("discord.connection.disconnect")}
            </Button>
          </Box>
        )}
      </Stack>
      {dialog === "change" && (
        <ChangeDialog connection={connection} onChange={onChange} onClose={close} />
      )}
      {dialog === "disconnect" && (
        <Disconnect connection={connection} onChange={onChange} onClose={close} />
      )}
    </Panel>
  );
}

interface TroubleProps {
  connection: Connection;
  isExplained: boolean;
}

/** Why the connection does not work, and what to do. */
function Trouble({ connection, isExplained }: TroubleProps) {
  const t = useText();
  const { active, error, trust_links } = connection;
  const isRecognised = useSession()?.features.discord_sign_in === true || trust_links;
  const sentences: TextKey[] = [];
  if (!active && isRefused(error)) {
    sentences.push("discord.connection.disabledBy");
  }
  if (error !== null && !isExplained) {
    sentences.push(
      isRoleProblem(error) ? "discord.connection.marked" : `discord.problems.${error}`,
    );
  }
  return (
    <>
      {sentences.length > 0 && (
        <Alert severity={active ? "warning" : "error"}>
          {sentences.map((sentence) => t(sentence)).join(" ")}
        </Alert>
      )}
      {!isRecognised && <Alert severity="info">{t("discord.connection.nobody")}</Alert>}
    </>
  );
}

interface ToggleProps extends Props {
  field: "active" | "trust_links";
  label: string;
  /** What is switched, in the message that follows. */
  name: string;
  /** What is asked before it is switched on. */
  risk?: { title: string; text: string; confirm: string };
}

function Toggle({ connection, field, label, name, risk, onChange }: ToggleProps) {
  const t = useText();
  const mayWrite = useCan("admin.discord");
  const notify = useNotify();
  const refresh = useRefresh();
  const done = useDone();
  const errorText = useErrorText();
  const value = connection[field];
  const [wanted, setWanted] = useState<boolean | null>(null);
  const [isAsking, setAsking] = useState(false);
  // The switch stays where the person put it until the connection that was read again says so, too.
  if (wanted !== null && wanted === value) {
    setWanted(null);
  }

  const change = async (next: boolean) => {
    await put(connection, { [field]: next });
    setWanted(next);
    onChange();
    done(t(next ? "common.switchedOn" : "common.switchedOff", { name }));
  };
  const toggle = async (next: boolean) => {
    setWanted(next);
    try {
      await change(next);
    } catch (error) {
      setWanted(null);
      notify(errorText(error), { type: "error" });
      refresh();
    }
  };

  return (
    <>
      <FormControlLabel
        label={label}
        slotProps={{ typography: { variant: "body2" } }}
        sx={{ ml: -0.5 }}
        control={
          <Switch
            size="small"
            checked={wanted ?? value}
            disabled={!mayWrite || wanted !== null}
            onChange={(_, next) =>
              next && risk !== undefined ? setAsking(true) : void toggle(next)
            }
          />
        }
      />
      {isAsking && risk !== undefined && (
        <ConfirmDialog
          title={risk.title}
          confirm={risk.confirm}
          danger
          onConfirm={() => change(true)}
          onClose={() => setAsking(false)}
        >
          {risk.text}
        </ConfirmDialog>
      )}
    </>
  );
}

interface DialogProps extends Props {
  onClose: () => void;
}

function ChangeDialog({ connection, onChange, onClose }: DialogProps) {
  const t = useText();
  const done = useDone();
  const { guild_id, active, error } = connection;
  return (
    <FormDialog
      title={t("discord.connection.change")}
      fields={["guild_id", "bot_token", "active"]}
      // What Discord refused is switched on again with another token, unless the person does not want it.
      defaults={{ guild_id, bot_token: "", active: active || isRefused(error) }}
      submit={t("common.save")}
      save={async (values) => {
        const { guild_id, bot_token } = connectionOf(values);
        await put(connection, {
          guild_id,
          ...(bot_token !== "" && { bot_token }),
          ...(!active && { active: values.active === true }),
        });
        onChange();
        done(t("common.saved"));
      }}
      onClose={onClose}
    >
      <GuildInput />
      <TokenInput hint={t("discord.fields.tokenKeep")} />
      {!active && (
        <BooleanInput source="active" label={t("discord.fields.activate")} helperText={false} />
      )}
      <Muted>{t("discord.connection.changeText")}</Muted>
    </FormDialog>
  );
}

function Disconnect({ connection, onChange, onClose }: DialogProps) {
  const t = useText();
  const done = useDone();
  return (
    <ConfirmDialog
      title={t("discord.connection.disconnectTitle")}
      confirm={t("discord.connection.disconnect")}
      danger
      onConfirm={async () => {
        await request("DELETE", "/api/discord", { ifMatch: connection[ETAG] });
        onChange();
        done(t("discord.disconnected"));
      }}
      onClose={onClose}
    >
      {t("discord.connection.disconnectText")}
    </ConfirmDialog>
  );
}
