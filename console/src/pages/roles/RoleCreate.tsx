import { TextInput } from "react-admin";
import { api, body } from "../../api/client";
import { CreateForm } from "../../components/form/CreateForm";
import { Page } from "../../components/Page";
import { Panel } from "../../components/Panel";
import { useText } from "../../i18n";
import { ColourInput } from "./ColourInput";

interface Values {
  name: string;
  description?: string | null;
  color?: string | null;
}

/** A new role. Its page opens next: there it gets its permissions. */
export function RoleCreate() {
  const t = useText();
  const create = async (values: Record<string, unknown>) => {
    const { name, description, color } = values as unknown as Values;
    const { role } = await body(
      api.POST("/api/roles", {
        body: { name: name ?? "", description: description ?? null, color: color ?? null },
      }),
    );
    return `/roles/${role.id}`;
  };
  return (
    <Page title={t("roles.new")} back={{ to: "/roles", text: t("roles.title") }} narrow>
      <Panel>
        <CreateForm fields={["name", "description", "color"]} create={create}>
          <TextInput source="name" label={t("common.name")} required autoFocus helperText={false} />
          <TextInput
            source="description"
            label={t("roles.description")}
            multiline
            minRows={2}
            helperText={false}
          />
          <ColourInput isNew />
        </CreateForm>
      </Panel>
    </Page>
  );
}
