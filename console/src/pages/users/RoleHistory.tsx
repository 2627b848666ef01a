import { Box, Button, List, ListItem, Typography } from "@mui/material";
import { useInfiniteQuery } from "@tanstack/react-query";
import { api, type Schemas } from "../../api/client";
import { nextCursor } from "../../api/lists";
import { Loaded } from "../../components/Loaded";
import { Panel } from "../../components/Page";
import { RoleChip } from "../../components/RoleChip";
import { Muted, State, When } from "../../components/text";
import { useFormat, useText } from "../../i18n";
import type { User } from "./user";

/** The roles that the user holds and has held, newest first. */
export function RoleHistoryPanel({ user }: { user: User }) {
  const t = useText();
  const query = useRoleHistory(user.id);
  return (
    <Panel title={t("users.roleHistory.title")} flush>
      <Loaded query={query} inset>
        {({ pages }) => (
          <>
            {pages[0]?.roles.length === 0 && (
              <Muted sx={{ px: 2.5, pb: 2.5 }}>{t("users.roleHistory.none")}</Muted>
            )}
            <List disablePadding>
              {pages
                .flatMap(({ roles }) => roles)
                .map((role, index) => (
                  <ListItem
                    key={index}
                    sx={{ px: 2.5, py: 1.25, borderTop: 1, borderColor: "divider" }}
                  >
                    <PastRole role={role} />
                  </ListItem>
                ))}
            </List>
            {query.hasNextPage && (
              <Button
                sx={{ mx: 1.25, mb: 1 }}
                loading={query.isFetchingNextPage}
                onClick={() => void query.fetchNextPage()}
              >
                {t("common.showMore")}
              </Button>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

type Past = Schemas["PastUserRole"];

const ENDINGS = ["removed", "expired", "role_deleted"] as const;
const SOURCES = ["api", "grant", "import"] as const;

/** One time that the user held a role: from when, until when, how it ended, where it came from. */
function PastRole({ role }: { role: Past }) {
  const t = useText();
  const format = useFormat();
  const { role_id: id, role_name: name, granted_at, expires_at, ended_at, ended_by, source } = role;
  const ending = ENDINGS.find((one) => one === ended_by);
  const kind = SOURCES.find((one) => one === source.kind);
  return (
    <Box sx={{ flexGrow: 1, minWidth: 0 }}>
      <Box sx={{ display: "flex", gap: 1, alignItems: "center", justifyContent: "space-between" }}>
        <RoleChip role={{ id, name }} />
        <State
          tone={ended_at === null ? "good" : "neutral"}
          text={
            ending === undefined
              ? t(ended_at === null ? "users.roleHistory.held" : "users.roleHistory.ended")
              : t(`users.roleHistory.endings.${ending}`)
          }
        />
      </Box>
      <Typography variant="caption" color="textSecondary" component="div" sx={{ mt: 0.5 }}>
        {t("users.roles.since")} <When at={granted_at} /> ·{" "}
        {kind === undefined
          ? source.kind
          : t(`users.roleHistory.sources.${kind}`, { id: source.id })}{" "}
        ·{" "}
        {ended_at !== null ? (
          <>
            {t("users.roleHistory.ended")} <When at={ended_at} />
          </>
        ) : expires_at === null ? (
          t("users.term.endsNever")
        ) : (
          t("users.term.ends", { at: format.moment(expires_at) })
        )}
      </Typography>
    </Box>
  );
}

/** As many as the other panels begin with. */
const FIRST = 5;
const PER_PAGE = 25;

function useRoleHistory(id: number) {
  return useInfiniteQuery({
    // A role that is deleted ends what is shown here.
    queryKey: ["users", id, "roles", "history"],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam }) => {
      const { data, response } = await api.GET("/api/users/{id}/role-history", {
        params: {
          path: { id },
          query:
            pageParam === null ? { per_page: FIRST } : { per_page: PER_PAGE, after: pageParam },
        },
      });
      return {
        roles: data?.role_history ?? [],
        next: nextCursor(response.headers.get("Link")),
      };
    },
    getNextPageParam: ({ next }) => next,
  });
}
