import { PasswordInput, TextInput } from "react-admin";
import { EditForm } from "../../components/form/EditForm";
import { RouteButton } from "../../components/links";
import { Loaded } from "../../components/Loaded";
import { Panel } from "../../components/Page";
import { Muted } from "../../components/text";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { useAccess } from "../operators/operator";
import { STATUSES, type User } from "./user";
import { EmailInput, StatusInput } from "./UserInputs";

/** Blocking has a button of its own, which also asks for the reason. */
const CHOSEN_HERE = STATUSES.filter((status) => status !== "blocked");

/** Who the user is, and how they sign in. */
export function ProfilePanel({ user }: { user: User }) {
  const t = useText();
  const mayWrite = useCan("admin.users");
  const isBlocked = user.status === "blocked";
  return (
    <Panel title={t("users.profile")}>
      <EditForm<User & { password?: string }>
        resource="users"
        record={user}
        fields={{
          username: t("users.fields.username"),
          email: t("users.fields.email"),
          status: t("users.fields.status"),
          password: t("common.newPassword"),
        }}
      >
        <TextInput source="username" label={t("users.fields.username")} helperText={false} />
        <EmailInput />
        <StatusInput
          offered={CHOSEN_HERE}
          hint={t(isBlocked ? "users.statusHint.blocked" : "users.statusHint.other")}
        />
        {mayWrite && (
          <PasswordInput
            source="password"
            label={t("common.newPassword")}
            helperText={t("users.password.changeHint")}
            slotProps={{ htmlInput: { autoComplete: "new-password" } }}
          />
        )}
      </EditForm>
    </Panel>
  );
}

/** Whether the user may use the console. */
export function OperatorPanel({ user }: { user: User }) {
  const t = useText();
  const access = useAccess(user.id);
  return (
    <Panel
      title={t("users.operator.title")}
      actions={
        access.data && (
          <RouteButton to={`/operators/${user.id}`}>{t("users.operator.open")}</RouteButton>
        )
      }
    >
      <Loaded query={access} height={24}>
        {(operator) => (
          <Muted>
            {operator === null
              ? t("users.operator.none")
              : t("users.operator.has", { smart_count: operator.permissions.length })}
          </Muted>
        )}
      </Loaded>
    </Panel>
  );
}
