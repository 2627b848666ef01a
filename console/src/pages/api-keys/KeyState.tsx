import { Box, Skeleton, Tooltip } from "@mui/material";
import type { ReactNode } from "react";
import type { Schemas } from "../../api/client";
import { Facts } from "../../components/Facts";
import { Panel } from "../../components/Page";
import { Code, Muted, State, type Tone, When } from "../../components/text";
import { useFormat, useText } from "../../i18n";
import { type ApiKey, isFuture, type KeyState, stateOf } from "./attention";
import { type Restrictions, useRestrictions } from "./Restrictions";

const TONES: Record<KeyState, Tone> = {
  active: "good",
  inactive: "neutral",
  expired: "bad",
  expiresSoon: "warn",
  unused: "warn",
};

export function KeyStateChip({ state }: { state: KeyState }) {
  const t = useText();
  return <State tone={TONES[state]} text={t(`apiKeys.${state}`)} />;
}

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
            <Muted>{t("apiKeys.lastUsedFrom", { ip: last_used_ip })}</Muted>
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
function Networks({ networks }: { networks: readonly string[] | null }) {
  const t = useText();
  if (networks === null) {
    return (
      <Box component="span" sx={{ color: "text.secondary" }}>
        {t("apiKeys.anyNetwork")}
      </Box>
    );
  }
  if (networks.length === 1) {
    return <Code>{networks[0]}</Code>;
  }
  return (
    <Tooltip title={networks.join(", ")}>
      <span>{t("apiKeys.networksMore", { smart_count: networks.length })}</span>
    </Tooltip>
  );
}

interface Props {
  apiKey: ApiKey;
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
          { label: t("apiKeys.value"), value: <Code>{apiKey.key}</Code> },
          {
            label: t("common.lastUsed"),
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
