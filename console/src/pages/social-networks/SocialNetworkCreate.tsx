import { api, body, type Schemas } from "../../api/client";
import { CreateForm } from "../../components/form/CreateForm";
import { Page } from "../../components/Page";
import { Panel } from "../../components/Panel";
import { useText } from "../../i18n";
import { SocialNetworkInputs } from "./SocialNetworkInputs";

export function SocialNetworkCreate() {
  const t = useText();
  return (
    <Page
      narrow
      title={t("socialNetworks.create")}
      back={{ to: "/social-networks", text: t("socialNetworks.title") }}
    >
      <Panel>
        <CreateForm
          fields={["title", "name", "url_template"]}
          create={async (values) => {
            const { title, name, url_template } = values as Partial<Schemas["NewSocialNetwork"]>;
            await body(
              api.POST("/api/social-networks", {
                body: {
                  title: title ?? "",
                  name: name ?? "",
                  url_template: url_template ?? "",
                },
              }),
            );
            return "/social-networks";
          }}
        >
          <SocialNetworkInputs />
        </CreateForm>
      </Panel>
    </Page>
  );
}
