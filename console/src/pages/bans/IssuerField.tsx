import { api } from "../../api/client";
import { useRead } from "../../api/useRead";
import { ChoiceField } from "../../components/ChoiceField";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";

interface Props {
  /** Such as `operator:5` or `key:3`. */
  value: string | undefined;
  onChange: (issuer: string | undefined) => void;
}

/** As many as one request may ask for. */
const LATEST = 100;

type Choice = readonly [value: string, text: string];

/**
 * Who may have issued bans. Those who may not read keys and operators choose from who issued the
 * latest bans.
 */
function useIssuers(): Choice[] {
  const t = useText();
  const mayRead = useCan("admin.api-keys.read");
  const enabled = { enabled: mayRead };
  const operators = useRead(["operators", "names"], () => api.GET("/api/operators"), enabled);
  const keys = useRead(["api-keys", "names"], () => api.GET("/api/api-keys"), enabled);
  const latest = { params: { query: { per_page: LATEST } } };
  const bans = useRead(["bans", "issuers"], () => api.GET("/api/bans", latest), {
    enabled: !mayRead,
  });
  const keyName = (name: string) => t("bans.byKey", { name });
  if (mayRead) {
    return [
      ...(operators.data?.operators ?? []).map(({ user_id: id, username }): Choice => [
        `operator:${id}`,
        username,
      ]),
      ...(keys.data?.api_keys ?? []).map(({ id, name }): Choice => [`key:${id}`, keyName(name)]),
    ];
  }
  const issuers = (bans.data?.bans ?? []).flatMap(({ issued_by: { kind, id, name } }): Choice[] =>
    id === null ? [] : [[`${kind}:${id}`, kind === "key" ? keyName(name) : name]],
  );
  return [...new Map(issuers)];
}

/** Whose bans are shown: an operator, or a key such as that of the plugin of a server. */
export function IssuerField({ value, onChange }: Props) {
  const t = useText();
  const choices = useIssuers();
  return (
    <ChoiceField
      label={t("bans.moderator")}
      value={value}
      choices={choices}
      onChange={(issuer) => onChange(issuer === "" ? undefined : issuer)}
    />
  );
}
