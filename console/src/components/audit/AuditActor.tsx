import Box from "@mui/material/Box";
import Link from "@mui/material/Link";
import Tooltip from "@mui/material/Tooltip";
import { Link as RouterLink } from "react-router";
import { type TextKey, useText } from "../../i18n";
import { useCan } from "../../session/session";
import { type Entry, MASKED } from "./sentence";

/** Who is behind entries without a key or an operator, by the name that the log gives them. */
const NAMELESS: Record<string, TextKey> = {
  "command line": "audit.actors.commandLine",
  upkeep: "audit.actors.maintenance",
  console: "audit.actors.visitor",
};

/** Who made a change: an operator, an API key, or the service itself. */
export function AuditActor({ entry }: { entry: Entry }) {
  const t = useText();
  const canReadUsers = useCan("admin.users.read");
  const canReadKeys = useCan("admin.api-keys.read");
  const { user_id: userId, user_name: userName, key_id: keyId, key_name: keyName } = entry;

  if (userId !== null) {
    const isErased = userName === null || userName === MASKED;
    return (
      <Actor
        text={isErased ? t("audit.actors.erased") : userName}
        hint={t("audit.actors.operator")}
        path={canReadUsers ? `/users/${userId}` : null}
      />
    );
  }
  if (keyId !== null) {
    const path = canReadKeys ? `/api-keys/${keyId}` : null;
    return <Actor text={keyName} hint={t("audit.actors.key")} path={path} />;
  }
  const known = NAMELESS[keyName];
  return <strong>{known === undefined ? keyName : t(known)}</strong>;
}

/** An operator and a key may have the same name, so a hint says which of them it is. */
function Actor({ text, hint, path }: { text: string; hint: string; path: string | null }) {
  return (
    <Tooltip title={hint} describeChild>
      {path === null ? (
        <Box component="strong">{text}</Box>
      ) : (
        <Link component={RouterLink} to={path} color="textPrimary" sx={{ fontWeight: 600 }}>
          {text}
        </Link>
      )}
    </Tooltip>
  );
}
