import Stack from "@mui/material/Stack";
import { TextInput } from "react-admin";
import { CreateForm } from "../../components/form/CreateForm";
import { Page } from "../../components/Page";
import { Panel } from "../../components/Panel";
import { PermissionsInput } from "../../components/permissions/PermissionsInput";
import { useText } from "../../i18n";
import { CreatedKey } from "./CreatedKey";
import { presetsOf } from "./presets";
import { RestrictionInputs } from "./RestrictionInputs";
import { useCreation } from "./useCreation";

/** A new key. Its value is shown on the next screen, and never again. */
export function ApiKeyCreate() {
  const t = useText();
  const { creation, create, resume } = useCreation();
  if (creation !== null) {
    return <CreatedKey creation={creation} onRepeat={() => void resume()} />;
  }
  return (
    <Page title={t("apiKeys.new")} back={{ to: "/api-keys", text: t("apiKeys.title") }} narrow>
      <CreateForm
        fields={["name"]}
        defaults={{ permissions: [] }}
        submit={t("apiKeys.create.submit")}
        create={async (values) => {
          await create(values);
          return undefined;
        }}
      >
        <Panel>
          <TextInput
            source="name"
            label={t("common.name")}
            helperText={t("apiKeys.create.nameHint")}
            required
            autoFocus
            fullWidth
          />
        </Panel>
        <Panel title={t("permissions.title")}>
          <PermissionsInput limited presets={presetsOf(t)} />
        </Panel>
        <Panel title={t("apiKeys.restrictions")} hint={t("apiKeys.create.restrictionsHint")}>
          <Stack sx={{ gap: 2 }}>
            <RestrictionInputs />
          </Stack>
        </Panel>
      </CreateForm>
    </Page>
  );
}
