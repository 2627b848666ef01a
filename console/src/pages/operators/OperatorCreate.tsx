import { Alert, Stack, TextField } from "@mui/material";
import { useQueryClient } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { api } from "../../api/client";
import { useRead } from "../../api/useRead";
import { CreateForm } from "../../components/form/CreateForm";
import { RouteLink } from "../../components/links";
import { Page, Panel } from "../../components/Page";
import type { Permission } from "../../components/permissions/permissions";
import { PermissionsInput } from "../../components/permissions/PermissionsInput";
import { ToggleButtons } from "../../components/ToggleButtons";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { InviteForm } from "./Invitations";
import { accessOf, useAccess } from "./operator";
import { operatorPresets } from "./presets";
import { UserSearch } from "./UserSearch";

/** Adds an operator: by an invitation link, or from the existing users. */
export function OperatorCreate() {
  const t = useText();
  const [search, setSearch] = useSearchParams();
  const way: Way = search.has("user") || search.get("way") === "user" ? "user" : "link";
  return (
    <Page
      title={t("operators.grant.title")}
      subtitle={t(`operators.grant.hints.${way}`)}
      back="operators"
      narrow
    >
      <ToggleButtons
        value={way}
        options={WAYS}
        text={(name) => t(`operators.grant.ways.${name}`)}
        onChange={(name) => setSearch(name === "user" ? { way: name } : {}, { replace: true })}
        aria-label={t("operators.grant.title")}
        sx={{ mb: 2 }}
      />
      {way === "link" ? <InviteForm /> : <GrantForm />}
    </Page>
  );
}

const WAYS = ["link", "user"] as const;
type Way = (typeof WAYS)[number];

/** Grants a user access to the console. `?user=ID` chooses the user. */
function GrantForm() {
  const t = useText();
  const queryClient = useQueryClient();
  const maySeeUsers = useCan("admin.users.read");
  const [search, setSearch] = useSearchParams();
  const chosen = search.get("user") ?? "";
  const id = /^\d{1,15}$/.test(chosen) ? Number(chosen) : null;
  const choose = (user: string) =>
    setSearch(user === "" ? { way: "user" } : { user }, { replace: true });

  const user = useRead(
    ["users", id, "name"],
    () => api.GET("/api/users/{id}", { params: { path: { id: id ?? 0 } } }),
    { enabled: id !== null && maySeeUsers, retry: false },
  );
  // Granting again would replace the access of an operator.
  const { data: known } = useAccess(id);

  const create = async (values: Record<string, unknown>) => {
    if (id === null) {
      throw new Error(t("operators.grant.chooseUser"));
    }
    const access = await queryClient.fetchQuery(accessOf(id));
    if (access !== null) {
      throw new Error(t("operators.grant.already", { name: access.username }));
    }
    const permissions = (values["permissions"] ?? []) as Permission[];
    await api.PUT("/api/operators/{userId}", {
      params: { path: { userId: id } },
      body: { permission_ids: permissions.map((permission) => permission.id), active: true },
    });
    return `/operators/${id}`;
  };

  return (
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
              value={user.data?.user ?? null}
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
          {known && (
            <Alert severity="info">
              {t("operators.grant.already", { name: known.username })}{" "}
              <RouteLink to={`/operators/${id}`}>{t("operators.grant.alreadyLink")}</RouteLink>
            </Alert>
          )}
        </Stack>
      </Panel>
      <Panel title={t("permissions.title")}>
        <PermissionsInput limited presets={operatorPresets(t)} />
      </Panel>
    </CreateForm>
  );
}
