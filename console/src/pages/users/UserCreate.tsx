import { PasswordInput, TextInput } from "react-admin";
import { api, body, type Schemas } from "../../api/client";
import { CreateForm } from "../../components/form/CreateForm";
import type { Values } from "../../components/form/conflict";
import { Page } from "../../components/Page";
import { Panel } from "../../components/Panel";
import { useText } from "../../i18n";
import { EmailInput } from "./EmailInput";
import { RolesInput } from "./RolesInput";
import type { Role } from "./types";

interface Inputs {
  username?: string;
  email?: string;
  password?: string;
  roles?: Role[];
}

/** The request that creates a user. What was not typed is refused by the service, field by field. */
function newUser(values: Values): Schemas["NewUser"] {
  const { username, email, password, roles } = values as Inputs;
  return {
    username: username ?? "",
    email: email ?? "",
    password: password ?? "",
    role_ids: (roles ?? []).map(({ id }) => id),
  };
}

export function UserCreate() {
  const t = useText();
  return (
    <Page narrow title={t("users.create")} back={{ to: "/users", text: t("users.title") }}>
      <Panel>
        <CreateForm
          fields={["username", "email", "password", "roles"]}
          create={async (values) => {
            const { user } = await body(api.POST("/api/users", { body: newUser(values) }));
            return `/users/${user.id}`;
          }}
        >
          <TextInput
            source="username"
            label={t("users.fields.username")}
            autoFocus
            helperText={false}
          />
          <EmailInput />
          <PasswordInput
            source="password"
            label={t("users.fields.password")}
            helperText={t("users.password.hint")}
            slotProps={{ htmlInput: { autoComplete: "new-password" } }}
          />
          <RolesInput />
        </CreateForm>
      </Panel>
    </Page>
  );
}
