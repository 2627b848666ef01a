import Chip from "@mui/material/Chip";
import Stack from "@mui/material/Stack";
import Tooltip from "@mui/material/Tooltip";
import Typography from "@mui/material/Typography";
import { api } from "../../api/client";
import { ETAG } from "../../api/dataProvider";
import { EditForm } from "../../components/form/EditForm";
import { Panel } from "../../components/Panel";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { ifMatch } from "./ifMatch";
import { RolesInput } from "./RolesInput";
import type { Role, User } from "./types";

/** The roles of the user. */
export function RolesPanel({ user }: { user: User }) {
  const t = useText();
  const mayWrite = useCan("admin.users");
  return (
    <Panel title={t("users.roles.title")}>
      {mayWrite ? (
        <EditForm<User>
          resource="users"
          record={user}
          fields={{ roles: t("users.roles.title") }}
          save={(changes, tag) =>
            api.PUT("/api/users/{id}/roles", {
              params: { path: { id: user.id }, header: ifMatch({ [ETAG]: tag }) },
              body: { role_ids: ((changes["roles"] ?? []) as Role[]).map(({ id }) => id) },
            })
          }
        >
          <RolesInput hint={t("users.roles.hint")} />
        </EditForm>
      ) : (
        <Held roles={user.roles} />
      )}
    </Panel>
  );
}

function Held({ roles }: { roles: Role[] }) {
  const t = useText();
  if (roles.length === 0) {
    return <Typography color="textSecondary">{t("users.roles.none")}</Typography>;
  }
  return (
    <Stack direction="row" sx={{ gap: 1, flexWrap: "wrap" }}>
      {roles.map(({ id, name, description }) => (
        <Tooltip key={id} title={description}>
          <Chip label={name} />
        </Tooltip>
      ))}
    </Stack>
  );
}
