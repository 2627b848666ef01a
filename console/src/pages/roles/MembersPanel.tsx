import Button from "@mui/material/Button";
import List from "@mui/material/List";
import ListItem from "@mui/material/ListItem";
import ListItemButton from "@mui/material/ListItemButton";
import ListItemText from "@mui/material/ListItemText";
import Skeleton from "@mui/material/Skeleton";
import Typography from "@mui/material/Typography";
import { Link } from "react-router";
import { Panel } from "../../components/Panel";
import { useText } from "../../i18n";
import { useMembers } from "./useMembers";

/** The users who have a role, the first of them by name. */
export function MembersPanel({ roleId }: { roleId: number }) {
  const t = useText();
  const { data } = useMembers(roleId);
  const filter = encodeURIComponent(JSON.stringify({ role_id: roleId }));
  const rest = data === undefined ? 0 : data.total - data.users.length;
  return (
    <Panel title={t("roles.members")} hint={t("roles.membersHint")} flush>
      {data === undefined ? (
        <Skeleton variant="rounded" height={160} sx={{ m: 2 }} />
      ) : data.total === 0 ? (
        <Typography color="textSecondary" sx={{ px: 2.5, pb: 2.5 }}>
          {t("roles.noMembers")}
        </Typography>
      ) : (
        <List disablePadding sx={{ borderTop: 1, borderColor: "divider" }}>
          {data.users.map(({ id, username, email }) => (
            <ListItem key={id} disablePadding divider>
              <ListItemButton component={Link} to={`/users/${id}`} sx={{ px: 2.5 }}>
                <ListItemText
                  primary={username}
                  secondary={email}
                  slotProps={{ secondary: { noWrap: true } }}
                />
              </ListItemButton>
            </ListItem>
          ))}
        </List>
      )}
      {data !== undefined && rest > 0 && (
        <Button component={Link} to={`/users?filter=${filter}`} sx={{ m: 1.5 }}>
          {t("roles.allMembers", { smart_count: data.total })}
        </Button>
      )}
    </Panel>
  );
}
