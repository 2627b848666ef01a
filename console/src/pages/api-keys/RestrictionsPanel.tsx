import Skeleton from "@mui/material/Skeleton";
import { request } from "../../api/client";
import { EditForm } from "../../components/form/EditForm";
import { Panel } from "../../components/Panel";
import { useText } from "../../i18n";
import { RestrictionInputs } from "./RestrictionInputs";
import { restrictionChanges } from "./restrictionChanges";
import { readRestrictions, type Restrictions } from "./useRestrictions";

interface Props {
  restrictions: Restrictions | undefined;
  mayChange: boolean;
}

/** When a key expires, from where it can be used, and how often. */
export function RestrictionsPanel({ restrictions, mayChange }: Props) {
  const t = useText();
  if (restrictions === undefined) {
    return <Skeleton variant="rounded" height={320} />;
  }
  const { id } = restrictions;
  return (
    <Panel title={t("apiKeys.restrictions")}>
      <EditForm<Restrictions>
        resource="api-keys"
        record={restrictions}
        fields={{
          expires_at: t("apiKeys.expiresAt"),
          allowed_ips: t("apiKeys.allowedIps"),
          requests_per_second: t("apiKeys.rate"),
        }}
        readOnly={!mayChange}
        read={() => readRestrictions(id)}
        save={(changes, ifMatch) =>
          request("PUT", `/api/api-keys/${id}/restrictions`, {
            body: restrictionChanges(changes),
            ifMatch,
          })
        }
      >
        <RestrictionInputs disabled={!mayChange} />
      </EditForm>
    </Panel>
  );
}
