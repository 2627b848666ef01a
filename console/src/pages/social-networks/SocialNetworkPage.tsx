import { DeleteButton } from "../../components/DeleteButton";
import { EditForm } from "../../components/form/EditForm";
import { OneRecord } from "../../components/OneRecord";
import { Page } from "../../components/Page";
import { Panel } from "../../components/Panel";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { SocialNetworkInputs } from "./SocialNetworkInputs";
import type { SocialNetwork } from "./types";

export function SocialNetworkPage() {
  return (
    <OneRecord<SocialNetwork> resource="social-networks">
      {(network) => <One key={network.id} network={network} />}
    </OneRecord>
  );
}

function One({ network }: { network: SocialNetwork }) {
  const t = useText();
  const mayWrite = useCan("admin.users");
  return (
    <Page
      narrow
      title={network.title}
      back={{ to: "/social-networks", text: t("socialNetworks.title") }}
    >
      <Panel>
        <EditForm<SocialNetwork>
          resource="social-networks"
          record={network}
          readOnly={!mayWrite}
          fields={{
            title: t("socialNetworks.fields.title"),
            name: t("socialNetworks.fields.name"),
            url_template: t("socialNetworks.fields.urlTemplate"),
          }}
          actions={
            <DeleteButton resource="social-networks" record={network} name={network.title}>
              {t("socialNetworks.deleteText")}
            </DeleteButton>
          }
        >
          <SocialNetworkInputs />
        </EditForm>
      </Panel>
    </Page>
  );
}
