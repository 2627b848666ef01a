import { Button, List, ListItem, ListItemButton, ListItemText } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { api } from "../../api/client";
import { listPath, RouteLink } from "../../components/links";
import { Loaded } from "../../components/Loaded";
import { Panel } from "../../components/Page";
import { RoleTerm } from "../../components/RoleChip";
import { Muted } from "../../components/text";
import { useFormat, useText } from "../../i18n";
import { useCan } from "../../session/session";
import { byEnd } from "./byEnd";

const FIRST = 8;
/** The largest page that the service serves. */
const MOST = 100;

/** The users who have a role, those who lose it next first. */
export function MembersPanel({ roleId }: { roleId: number }) {
  const t = useText();
  const format = useFormat();
  const query = useMembers(roleId);
  const [count, setCount] = useState(FIRST);
  const { members = [], total = 0 } = query.data ?? {};
  const hint =
    total > members.length
      ? t("roles.membersUnsorted", { shown: members.length, smart_count: total })
      : t(members.some(expires) ? "roles.membersByEnd" : "roles.membersHint");
  return (
    <Panel
      title={t("roles.members")}
      hint={hint}
      actions={
        total > 0 && (
          <RouteLink to={listPath("users", { role_id: roleId })} variant="body2">
            {t("common.showAll")}
          </RouteLink>
        )
      }
      flush
    >
      <Loaded query={query} height={160} inset>
        {() => (
          <>
            {total === 0 && <Muted sx={{ px: 2.5, pb: 2.5 }}>{t("roles.noMembers")}</Muted>}
            <List disablePadding>
              {members.slice(0, count).map(({ id, username, email, expires_at }) => (
                <ListItem key={id} disablePadding sx={{ borderTop: 1, borderColor: "divider" }}>
                  <ListItemButton
                    component={Link}
                    to={`/users/${id}`}
                    sx={{ px: 2.5, columnGap: 2, flexWrap: "wrap" }}
                  >
                    <ListItemText
                      primary={username}
                      secondary={email}
                      slotProps={{ secondary: { noWrap: true } }}
                    />
                    {expires_at !== null && (
                      <Muted title={format.exactMoment(expires_at)}>
                        <RoleTerm expiresAt={expires_at} />
                      </Muted>
                    )}
                  </ListItemButton>
                </ListItem>
              ))}
            </List>
            {members.length > count && (
              <Button sx={{ mx: 1.25, mb: 1 }} onClick={() => setCount(MOST)}>
                {t("common.showMore")}
              </Button>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function expires({ expires_at }: { expires_at: string | null }): boolean {
  return expires_at !== null;
}

/**
 * The users who have a role, and how many there are. The service does not sort them by the end of
 * the role, so this is done here where one page has them all. Only for those who may see users.
 */
export function useMembers(roleId: number) {
  return useQuery({
    queryKey: ["users", "of role", roleId],
    queryFn: async () => {
      const query = { role_id: roleId, include: "roles", per_page: MOST };
      const { data, response } = await api.GET("/api/users", { params: { query } });
      const total = Number(response.headers.get("X-Total-Count") ?? 0);
      const members = (data?.users ?? []).map(({ id, username, email, roles }) => ({
        id,
        username,
        email,
        expires_at: roles?.find((role) => role.id === roleId)?.expires_at ?? null,
      }));
      return { members: total > members.length ? members : byEnd(members), total };
    },
    enabled: useCan("admin.users.read"),
  });
}
