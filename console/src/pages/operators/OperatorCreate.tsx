import Alert from "@mui/material/Alert";
import Link from "@mui/material/Link";
import Stack from "@mui/material/Stack";
import TextField from "@mui/material/TextField";
import { useQuery } from "@tanstack/react-query";
import { Link as RouterLink, useSearchParams } from "react-router";
import { api, body } from "../../api/client";
import { ApiError } from "../../api/error";
import { CreateForm } from "../../components/form/CreateForm";
import { Page } from "../../components/Page";
import { Panel } from "../../components/Panel";
import type { Permission } from "../../components/permissions/areas";
import { PermissionsInput } from "../../components/permissions/PermissionsInput";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { UserSearch } from "./UserSearch";

/** Grants a user access to the console. `?user=ID` chooses the user. */
export function OperatorCreate() {
  const t = useText();
  const maySeeUsers = useCan("admin.users.read");
  const [search, setSearch] = useSearchParams();
  const chosen = search.get("user") ?? "";
  const id = /^\d{1,15}$/.test(chosen) ? Number(chosen) : null;
  const choose = (user: string) => setSearch(user === "" ? {} : { user }, { replace: true });

  const user = useQuery({
    queryKey: ["users", id, "name"],
    queryFn: async () =>
      (await body(api.GET("/api/users/{id}", { params: { path: { id: id ?? 0 } } }))).user,
    enabled: id !== null && maySeeUsers,
    retry: false,
  });
  const known = useOperator(id);

  const create = async (values: Record<string, unknown>) => {
    if (id === null || known !== null) {
      throw new Error(t("operators.grant.chooseUser"));
    }
    const permissions = (values["permissions"] ?? []) as Permission[];
    await api.PUT("/api/operators/{userId}", {
      params: { path: { userId: id } },
      body: { permission_ids: permissions.map((permission) => permission.id), active: true },
    });
    return `/operators/${id}`;
  };

  return (
    <Page
      title={t("operators.grant.title")}
      subtitle={t("operators.grant.hint")}
      back={{ to: "/operators", text: t("operators.title") }}
      narrow
    >
      <CreateForm
        fields={["permissions"]}
        defaults={{ permissions: [] }}
        submit={t("operators.grant.submit")}
        create={create}
      >
        <Panel>
          <Stack sx={{ gap: 2 }}>
            {maySeeUsers ? (
              <UserSearch
                value={user.data ?? null}
                onChange={(person) => choose(person === null ? "" : String(person.id))}
                error={user.isError ? t("errors.codes.user_not_found") : null}
              />
            ) : (
              <TextField
                label={t("operators.grant.userId")}
                helperText={t("operators.grant.userIdHint")}
                value={chosen}
                onChange={(event) => choose(event.target.value)}
                slotProps={{ htmlInput: { inputMode: "numeric" } }}
              />
            )}
            {typeof known === "string" && (
              <Alert severity="info">
                {t("operators.grant.already", { name: known })}{" "}
                <Link component={RouterLink} to={`/operators/${id}`}>
                  {t("operators.grant.alreadyLink")}
                </Link>
              </Alert>
            )}
          </Stack>
        </Panel>
        <Panel title={t("permissions.title")}>
          <PermissionsInput limited />
        </Panel>
      </CreateForm>
    </Page>
  );
}

/**
 * The name of the operator who this user is already; null if they are none, undefined until it is
 * known. Granting again would replace the access.
 */
function useOperator(userId: number | null): string | null | undefined {
  const { data } = useQuery({
    queryKey: ["operators", userId, "name"],
    queryFn: async () => {
      try {
        const path = { userId: userId ?? 0 };
        const { operator } = await body(api.GET("/api/operators/{userId}", { params: { path } }));
        return operator.username;
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) {
          return null;
        }
        throw error;
      }
    },
    enabled: userId !== null,
  });
  return data;
}
