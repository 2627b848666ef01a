import Button from "@mui/material/Button";
import { useState } from "react";
import { EditForm } from "../../components/form/EditForm";
import { OneRecord } from "../../components/OneRecord";
import { Page } from "../../components/Page";
import { Panel } from "../../components/Panel";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { DeleteNetwork } from "./DeleteNetwork";
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
  const [isDeleting, setDeleting] = useState(false);
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
            <Button color="error" onClick={() => setDeleting(true)}>
              {t("common.delete")}
            </Button>
          }
        >
          <SocialNetworkInputs />
        </EditForm>
      </Panel>
      {isDeleting && <DeleteNetwork network={network} onClose={() => setDeleting(false)} />}
    </Page>
  );
}
