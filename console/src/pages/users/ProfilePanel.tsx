import { PasswordInput, TextInput } from "react-admin";
import { EditForm } from "../../components/form/EditForm";
import { Panel } from "../../components/Panel";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { EmailInput } from "./EmailInput";
import { STATUSES } from "./status";
import { StatusInput } from "./StatusInput";
import type { User } from "./types";

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
        readOnly={!mayWrite}
        fields={{
          username: t("users.fields.username"),
          email: t("users.fields.email"),
          status: t("users.fields.status"),
          password: t("users.password.label"),
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
            label={t("users.password.label")}
            helperText={t("users.password.changeHint")}
            slotProps={{ htmlInput: { autoComplete: "new-password" } }}
          />
        )}
      </EditForm>
    </Panel>
  );
}
