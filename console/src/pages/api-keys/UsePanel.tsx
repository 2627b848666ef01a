import Box from "@mui/material/Box";
import { Facts } from "../../components/Facts";
import { Panel } from "../../components/Panel";
import { When } from "../../components/When";
import { useText } from "../../i18n";
import { useFormat } from "../../i18n/format";
import { MONOSPACE } from "../../theme/tokens";
import type { Key } from "./ApiKeyPage";
import { isFuture } from "./attention";
import type { Restrictions } from "./useRestrictions";

interface Props {
  apiKey: Key;
  restrictions: Restrictions | undefined;
}

/** When and from where a key was used. */
export function UsePanel({ apiKey, restrictions }: Props) {
  const t = useText();
  const format = useFormat();
  const previous = restrictions?.previous_key_valid_until ?? null;
  return (
    <Panel title={t("apiKeys.use")}>
      <Facts
        facts={[
          {
            label: t("apiKeys.value"),
            value: <Box sx={{ fontFamily: MONOSPACE, fontSize: 13 }}>{apiKey.key}</Box>,
          },
          {
            label: t("apiKeys.lastUsed"),
            value: (
              <>
                {restrictions !== undefined && <When at={restrictions.last_used_at} />}
                {restrictions?.last_used_ip &&
                  ` ${t("apiKeys.lastUsedFrom", { ip: restrictions.last_used_ip })}`}
              </>
            ),
          },
          ...(isFuture(previous)
            ? [{ label: t("apiKeys.previousUntil"), value: format.moment(previous) }]
            : []),
          { label: t("common.createdAt"), value: <When at={apiKey.created_at} /> },
        ]}
      />
    </Panel>
  );
}
