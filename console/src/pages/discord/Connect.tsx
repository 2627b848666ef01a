import OpenInNew from "@mui/icons-material/OpenInNew";
import { Alert, Box, Button, Stack, TextField, Typography } from "@mui/material";
import { type ReactNode, useState } from "react";
import { PasswordInput, TextInput, useNotify } from "react-admin";
import { api } from "../../api/client";
import { EmptyState } from "../../components/EmptyState";
import type { Values } from "../../components/form/conflict";
import { FormBar } from "../../components/form/CreateForm";
import { GuardedForm } from "../../components/form/GuardedForm";
import { useFormErrors } from "../../components/form/useFormErrors";
import { Panel } from "../../components/Page";
import { Muted } from "../../components/text";
import { useText } from "../../i18n";
import { ICONS } from "../../layout/menu";
import { useCan } from "../../session/session";
import { useTokens } from "../../theme/theme";
import { inviteAddress } from "./findings";

interface Props {
  onConnected: () => Promise<void>;
}

/** Connects a server in three steps. */
export function Connect({ onConnected }: Props) {
  const t = useText();
  const mayWrite = useCan("admin.discord");
  if (!mayWrite) {
    return (
      <Panel>
        <EmptyState icon={ICONS.discord} title="Discord" text={t("discord.mayNotConnect")} />
      </Panel>
    );
  }
  return (
    <Panel>
      <Stack component="ol" sx={{ gap: 3, m: 0, p: 0, listStyle: "none" }}>
        <Step number={1} title={t("discord.steps.app")}>
          <Muted>{t("discord.steps.appText")}</Muted>
          <Outside href="https://discord.com/developers/applications">
            {t("discord.steps.open")}
          </Outside>
        </Step>
        <Step number={2} title={t("discord.steps.invite")}>
          <Muted>{t("discord.steps.inviteText")}</Muted>
          <Invitation />
          <Muted>{t("discord.steps.above")}</Muted>
        </Step>
        <Step number={3} title={t("discord.steps.paste")}>
          <Muted>{t("discord.steps.pasteText")}</Muted>
          <ConnectForm onConnected={onConnected} />
        </Step>
      </Stack>
    </Panel>
  );
}

interface StepProps {
  number: number;
  title: string;
  children: ReactNode;
}

function Step({ number, title, children }: StepProps) {
  const tokens = useTokens();
  return (
    <Box component="li" sx={{ display: "flex", gap: { xs: 1.5, sm: 2 } }}>
      <Box
        aria-hidden
        sx={{
          width: 28,
          height: 28,
          flexShrink: 0,
          display: "grid",
          placeItems: "center",
          borderRadius: "50%",
          fontWeight: 650,
          bgcolor: tokens.accentSoft,
          color: tokens.accent,
        }}
      >
        {number}
      </Box>
      <Stack sx={{ gap: 1.5, flexGrow: 1, minWidth: 0 }}>
        <Typography variant="h2" sx={{ lineHeight: "28px" }}>
          {title}
        </Typography>
        {children}
      </Stack>
    </Box>
  );
}

/** A button that opens a page of another site. */
function Outside({ href, children }: { href: string | null; children: ReactNode }) {
  return (
    <Box>
      <Button
        variant="outlined"
        endIcon={<OpenInNew />}
        {...(href === null
          ? { disabled: true }
          : { href, target: "_blank", rel: "noopener noreferrer" })}
      >
        {children}
      </Button>
    </Box>
  );
}

/** The link that lets the bot in. It is made here, and the id is not stored. */
function Invitation() {
  const t = useText();
  const [id, setId] = useState("");
  return (
    <Box sx={{ display: "flex", flexWrap: "wrap", gap: 1, alignItems: "center" }}>
      <TextField
        label={t("discord.steps.applicationId")}
        value={id}
        sx={{ flexGrow: 1, maxWidth: 320 }}
        onChange={({ target }) => setId(target.value)}
        slotProps={{ htmlInput: { inputMode: "numeric", autoComplete: "off" } }}
      />
      <Outside href={inviteAddress(id)}>{t("discord.steps.inviteLink")}</Outside>
    </Box>
  );
}

const FIELDS = ["guild_id", "bot_token"];
const NOTHING = { guild_id: "", bot_token: "" };

function ConnectForm({ onConnected }: Props) {
  const t = useText();
  const notify = useNotify();
  const { problem, guard } = useFormErrors(FIELDS);
  /** What is stored, so that the form has no unsaved changes when the page goes on. */
  const [stored, setStored] = useState<Values>(NOTHING);
  const connect = (values: Values) =>
    guard(async () => {
      await api.PUT("/api/discord", { body: connectionOf(values) });
      setStored(values);
      notify(t("discord.connected"), { type: "success" });
      await onConnected();
    });
  return (
    <GuardedForm defaultValues={stored} submit={connect}>
      <Stack sx={{ gap: 2, maxWidth: 480 }}>
        {problem !== null && <Alert severity="error">{problem}</Alert>}
        <GuildInput />
        <TokenInput hint={t("discord.fields.tokenHint")} />
      </Stack>
      <FormBar submit={t("discord.steps.connect")} alwaysEnabled />
    </GuardedForm>
  );
}

/** What was typed. People copy spaces along with an id. */
export function connectionOf({ guild_id, bot_token }: Values) {
  const text = (value: unknown) => (typeof value === "string" ? value.trim() : "");
  return { guild_id: text(guild_id), bot_token: text(bot_token) };
}

export function GuildInput() {
  const t = useText();
  return (
    <TextInput
      source="guild_id"
      label={t("discord.fields.guild")}
      helperText={t("discord.fields.guildHint")}
      slotProps={{ htmlInput: { inputMode: "numeric", autoComplete: "off" } }}
    />
  );
}

export function TokenInput({ hint }: { hint: string }) {
  const t = useText();
  return (
    <PasswordInput
      source="bot_token"
      label={t("discord.fields.token")}
      helperText={hint}
      slotProps={{ htmlInput: { autoComplete: "off" } }}
    />
  );
}
