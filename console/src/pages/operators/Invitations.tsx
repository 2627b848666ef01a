import { Alert, Box, Button, DialogContentText, Stack } from "@mui/material";
import { useState } from "react";
import { TextInput } from "react-admin";
import { api, body, type Schemas } from "../../api/client";
import { useRead } from "../../api/useRead";
import { CopyField } from "../../components/CopyField";
import { ConfirmButton } from "../../components/ConfirmDialog";
import type { Values } from "../../components/form/conflict";
import { CreateForm } from "../../components/form/CreateForm";
import { useLeave } from "../../components/form/UnsavedChanges";
import { Modal } from "../../components/Modal";
import { Panel } from "../../components/Page";
import type { Permission } from "../../components/permissions/permissions";
import { PermissionsInput } from "../../components/permissions/PermissionsInput";
import { Muted, When } from "../../components/text";
import { useDone } from "../../components/useAct";
import { useFormat, useText } from "../../i18n";
import { useCan } from "../../session/session";
import { PermissionCount } from "./operator";
import { operatorPresets } from "./presets";

type Invitation = Schemas["OperatorInvitation"];

/** Creates an invitation link for a new operator. */
export function InviteForm() {
  const t = useText();
  const [made, setMade] = useState<{ url: string; invitation: Invitation } | null>(null);
  const create = async ({ note, permissions }: Values) => {
    const chosen = (permissions ?? []) as Permission[];
    const reply = await body(
      api.POST("/api/operators/invitations", {
        body: {
          note: typeof note === "string" ? note : "",
          permission_ids: chosen.map(({ id }) => id),
        },
      }),
    );
    setMade(reply);
    return undefined;
  };
  return (
    <>
      <CreateForm
        fields={["note", "permissions", "permission_ids"]}
        defaults={{ permissions: [] }}
        submit={t("operators.invite.submit")}
        create={create}
      >
        <Panel>
          <TextInput
            source="note"
            label={t("operators.invite.note")}
            helperText={t("operators.invite.noteHint")}
            fullWidth
          />
        </Panel>
        <Panel title={t("permissions.title")}>
          <PermissionsInput limited presets={operatorPresets(t)} />
        </Panel>
      </CreateForm>
      {made !== null && <LinkDialog {...made} />}
    </>
  );
}

/** Shows the link, which the service does not show again. */
function LinkDialog({ url, invitation }: { url: string; invitation: Invitation }) {
  const t = useText();
  const format = useFormat();
  const leave = useLeave();
  return (
    <Modal
      title={t("operators.invite.done")}
      width="sm"
      actions={
        <Button variant="contained" onClick={() => leave("/operators")}>
          {t("common.close")}
        </Button>
      }
    >
      <Stack sx={{ gap: 2 }}>
        <DialogContentText>
          {t("operators.invite.send", { at: format.moment(invitation.expires_at) })}
        </DialogContentText>
        <CopyField label={t("operators.invite.link")} value={url} />
        <Alert severity="warning">{t("common.shownOnce")}</Alert>
      </Stack>
    </Modal>
  );
}

/** The open invitations. */
export function OpenInvitations() {
  const t = useText();
  const { data } = useRead(["operators", "invitations"], () =>
    api.GET("/api/operators/invitations"),
  );
  const open = data?.invitations ?? [];
  if (open.length === 0) {
    return null;
  }
  return (
    <Box sx={{ mb: 2 }}>
      <Panel title={t("operators.invite.open")} hint={t("operators.invite.openHint")} flush>
        {open.map((invitation) => (
          <Row key={invitation.id} invitation={invitation} />
        ))}
      </Panel>
    </Box>
  );
}

function Row({ invitation }: { invitation: Invitation }) {
  const t = useText();
  const done = useDone();
  const mayWrite = useCan("admin.api-keys");
  const { id, note, permissions, expires_at, invited_by } = invitation;
  const name = note === "" ? t("operators.invite.noNote") : note;
  return (
    <Stack
      direction="row"
      sx={{
        gap: 2,
        px: 2.5,
        py: 1.25,
        alignItems: "center",
        flexWrap: "wrap",
        borderTop: 1,
        borderColor: "divider",
      }}
    >
      <Stack sx={{ flexGrow: 1, minWidth: 160 }}>
        {name}
        <Muted>
          <PermissionCount permissions={permissions} /> ·{" "}
          {t("operators.invite.by", { name: invited_by.name })} · {t("operators.invite.expires")}{" "}
          <When at={expires_at} />
        </Muted>
      </Stack>
      {mayWrite && (
        <ConfirmButton
          text={t("common.remove")}
          button={{ color: "error", "aria-label": `${t("common.remove")}: ${name}` }}
          title={t("operators.invite.removeTitle", { name })}
          confirm={t("common.remove")}
          danger
          onConfirm={async () => {
            await api.DELETE("/api/operators/invitations/{id}", { params: { path: { id } } });
            done(t("common.deleted"));
          }}
        >
          {t("operators.invite.removeText")}
        </ConfirmButton>
      )}
    </Stack>
  );
}
