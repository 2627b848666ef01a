import Box from "@mui/material/Box";
import Skeleton from "@mui/material/Skeleton";
import Tooltip from "@mui/material/Tooltip";
import Typography from "@mui/material/Typography";
import type { ReactNode } from "react";
import type { Schemas } from "../../api/client";
import { When } from "../../components/When";
import { useText } from "../../i18n";
import { MONOSPACE } from "../../theme/tokens";
import { stateOf } from "./attention";
import { KeyStateChip } from "./KeyStateChip";
import { type Restrictions, useRestrictions } from "./useRestrictions";

type Key = Schemas["ApiKeyItem"];

/** The cells of the list that need the restrictions of a key, which the list does not contain. */
function WithUse({ id, children }: { id: number; children: (use: Restrictions) => ReactNode }) {
  const { data, isError } = useRestrictions(id);
  if (data === undefined) {
    return isError ? null : <Skeleton width={90} />;
  }
  return children(data);
}

export function StateCell({ apiKey }: { apiKey: Key }) {
  const { data } = useRestrictions(apiKey.id);
  return <KeyStateChip state={stateOf(apiKey, data)} />;
}

export function LastUsedCell({ id }: { id: number }) {
  const t = useText();
  return (
    <WithUse id={id}>
      {({ last_used_at, last_used_ip }) => (
        <>
          <When at={last_used_at} />
          {last_used_ip !== null && (
            <Typography variant="body2" color="textSecondary">
              {t("apiKeys.lastUsedFrom", { ip: last_used_ip })}
            </Typography>
          )}
        </>
      )}
    </WithUse>
  );
}

export function ExpiryCell({ id }: { id: number }) {
  return <WithUse id={id}>{({ expires_at }) => <When at={expires_at} />}</WithUse>;
}

export function NetworksCell({ id }: { id: number }) {
  return <WithUse id={id}>{({ allowed_ips }) => <Networks networks={allowed_ips} />}</WithUse>;
}

/** One network as it is, several as their number. */
export function Networks({ networks }: { networks: readonly string[] | null }) {
  const t = useText();
  if (networks === null) {
    return (
      <Box component="span" sx={{ color: "text.secondary" }}>
        {t("apiKeys.anyNetwork")}
      </Box>
    );
  }
  if (networks.length === 1) {
    return (
      <Box component="span" sx={{ fontFamily: MONOSPACE, fontSize: 13 }}>
        {networks[0]}
      </Box>
    );
  }
  return (
    <Tooltip title={networks.join(", ")}>
      <span>{t("apiKeys.networksMore", { smart_count: networks.length })}</span>
    </Tooltip>
  );
}
