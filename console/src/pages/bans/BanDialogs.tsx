import { BooleanInput, TextInput } from "react-admin";
import { api } from "../../api/client";
import { EditForm } from "../../components/form/EditForm";
import { FormDialog } from "../../components/form/FormDialog";
import { RecordDialog } from "../../components/form/RecordDialog";
import { useDone } from "../../components/useAct";
import { useFormat, useText } from "../../i18n";
import { useServerName } from "../payments/choices";
import { ifMatch } from "../users/user";
import type { BanRecord } from "./ban";
import { DetailFields, TermFields, useBanLabels } from "./BanFields";
import { useActiveBans } from "./player";

interface LiftProps {
  ban: BanRecord;
  name: string;
  onClose: () => void;
}

/** Lifts a ban, and on request all others of the player that are in force. */
export function LiftBan({ ban, name, onClose }: LiftProps) {
  const t = useText();
  const done = useDone();
  const { id } = ban;
  const words = { name, kind: t(`bans.kinds.${ban.kind}`).toLowerCase() };
  const player = playerOf(ban);
  const others = useActiveBans(player).filter(
    (one) => one.id !== id && ("ip_range" in player ? one.ip_range === ban.ip_range : true),
  );
  return (
    <FormDialog
      title={t("bans.lift.title", words)}
      fields={["reason", "all"]}
      defaults={{ reason: "", all: false }}
      submit={t("bans.lift.button")}
      save={async ({ reason: typed, all }) => {
        const reason = typeof typed === "string" ? typed : "";
        if (all === true) {
          await api.POST("/api/bans/lift", { body: { ...player, reason } });
        } else {
          const params = { path: { id }, header: ifMatch(ban) };
          await api.POST("/api/bans/{id}/lift", { params, body: { reason } });
        }
        done(t("bans.lift.done", words));
      }}
      onClose={onClose}
    >
      <TextInput
        source="reason"
        label={t("common.reason")}
        helperText={t("bans.lift.reasonHint")}
        autoFocus
        required
        multiline
        slotProps={{ htmlInput: { maxLength: 500 } }}
      />
      {others.length > 0 && (
        <BooleanInput
          source="all"
          label={t("bans.lift.all", { smart_count: others.length })}
          helperText={false}
        />
      )}
    </FormDialog>
  );
}

/** The player of a ban, as far as one request can name them. A range names exactly its bans. */
function playerOf({ steam_id64, user_id, ip_range }: BanRecord) {
  return steam_id64 !== null ? { steam_id64 } : user_id !== null ? { user_id } : { ip_range };
}

/** Changes what can be changed: not who is banned. */
export function EditBan({ ban, onClose }: Omit<LiftProps, "name">) {
  const t = useText();
  const fields = useBanLabels();
  const show = useShow();
  return (
    <RecordDialog title={t("bans.number", { id: ban.id })} onClose={onClose}>
      <EditForm<BanRecord>
        resource="bans"
        record={ban}
        fields={fields}
        show={show}
        onSaved={onClose}
        isInDialog
      >
        <TermFields
          start={ban.expires_at === null ? "forever" : "other"}
          mustEnd={ban.steam_id64 === null && ban.user_id === null}
        />
        <DetailFields />
      </EditForm>
    </RecordDialog>
  );
}

/** Two versions of a ban in words. */
function useShow(): (field: string, value: unknown) => string {
  const t = useText();
  const format = useFormat();
  const serverName = useServerName();
  return (field, value) => {
    switch (field) {
      case "expires_at":
        return typeof value === "string" ? format.moment(value) : t("users.term.forever");
      case "server_ids":
        return (value as number[]).map(serverName).join(", ") || t("bans.allServers");
      case "evidence":
        return (value as string[]).join(", ");
      default:
        return String(value);
    }
  };
}
