import { Alert } from "@mui/material";
import { request } from "../../api/client";
import { EditForm } from "../../components/form/EditForm";
import { Loaded } from "../../components/Loaded";
import { Panel } from "../../components/Page";
import { useRoles } from "../../components/useRoles";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { type Pair, type Pairs, readPairs, usePairs } from "./connection";
import { PairsInput } from "./PairsInput";
import { useKnownRoles, useServerRoleName } from "./roles";

interface Props {
  /** Whether Discord is asked for the names of its roles. */
  isAsked: boolean;
  onSaved: () => void;
}

/** Which role at Discord follows which role, saved as a whole. */
export function PairsPanel({ isAsked, onSaved }: Props) {
  const t = useText();
  const mayWrite = useCan("admin.discord");
  const pairs = usePairs();
  const show = useShowPairs();
  const { isFailed } = useKnownRoles();
  return (
    <Panel title={t("discord.pairs.title")} hint={t("discord.pairs.hint")}>
      <Loaded query={pairs} height={180}>
        {(record) => (
          <EditForm<Pairs>
            resource="discord"
            record={record}
            readOnly={!mayWrite}
            fields={{ mappings: t("discord.pairs.field") }}
            lists={["mappings"]}
            show={(_, value) => show(value as Pair[])}
            save={(body, ifMatch) => request("PUT", "/api/discord/roles", { body, ifMatch })}
            read={readPairs}
            onSaved={onSaved}
          >
            {isAsked && isFailed && <Alert severity="warning">{t("discord.pairs.unread")}</Alert>}
            {!isAsked && mayWrite && <Alert severity="info">{t("discord.pairs.off")}</Alert>}
            <PairsInput />
          </EditForm>
        )}
      </Loaded>
    </Panel>
  );
}

/** Pairs in words, for the comparison of two versions. */
function useShowPairs(): (pairs: Pair[]) => string {
  const t = useText();
  const roles = useRoles();
  const nameOf = useServerRoleName();
  return (pairs) =>
    pairs
      .map(({ role_id: id, discord_role_id: there }) => {
        const here = roles.find((role) => role.id === id)?.name ?? `#${id}`;
        return `${here} → ${nameOf(there)}`;
      })
      .join(", ") || t("common.none");
}
