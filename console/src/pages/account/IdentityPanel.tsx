import Button from "@mui/material/Button";
import Stack from "@mui/material/Stack";
import Typography from "@mui/material/Typography";
import { Link } from "react-router";
import { Facts } from "../../components/Facts";
import { Panel } from "../../components/Panel";
import { areasOf, shortest } from "../../components/permissions/areas";
import { usePermissionText } from "../../components/permissions/usePermissionText";
import { When } from "../../components/When";
import { useText } from "../../i18n";
import { grants, type SessionState } from "../../session/session";

/** Who is signed in, and what they may do. */
export function IdentityPanel({ session }: { session: SessionState }) {
  const t = useText();
  const text = usePermissionText();
  const { operator, key, permissions, expires_at } = session;
  const areas = areasOf(shortest(permissions));
  return (
    <Panel
      title={t("account.who")}
      actions={
        operator !== undefined && grants(session, "admin.users.read") ? (
          <Button component={Link} to={`/users/${operator.user_id}`}>
            {t("account.profile")}
          </Button>
        ) : undefined
      }
    >
      <Stack sx={{ gap: 2 }}>
        <div>
          <Typography sx={{ fontWeight: 600 }}>{operator?.username ?? key?.name}</Typography>
          <Typography variant="body2" color="textSecondary">
            {operator?.email ?? t("account.viaKey")}
          </Typography>
        </div>
        <Facts facts={[{ label: t("account.sessionEnds"), value: <When at={expires_at} /> }]} />
        <div>
          <Typography variant="h3" gutterBottom>
            {t("account.mayDo")}
          </Typography>
          {areas.length === 0 ? (
            <Typography variant="body2" color="textSecondary">
              {t("account.mayNothing")}
            </Typography>
          ) : (
            <Facts
              facts={areas.map((area) => ({
                label: text.area(area.name),
                value: area.permissions.map(text.level).join(", "),
              }))}
            />
          )}
        </div>
      </Stack>
    </Panel>
  );
}
