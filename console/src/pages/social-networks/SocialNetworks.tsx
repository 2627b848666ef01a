import { TextInput } from "react-admin";
import type { Schemas } from "../../api/client";
import type { ETAG } from "../../api/dataProvider";
import { DeleteButton } from "../../components/DeleteDialog";
import { CreatePage } from "../../components/form/CreateForm";
import { EditForm } from "../../components/form/EditForm";
import { ListPage, RecordLink, UnsortedColumn } from "../../components/list/ListPage";
import { recordPage } from "../../components/recordPage";
import { Page, Panel } from "../../components/Page";
import { useText } from "../../i18n";

/** A network, with the entity tag of the version that is shown. */
type SocialNetwork = Schemas["SocialNetwork"] & { [ETAG]?: string };

const Column = UnsortedColumn<SocialNetwork>;

export function SocialNetworkList() {
  const t = useText();
  return (
    <ListPage<SocialNetwork>
      resource="social-networks"
      subtitle={t("socialNetworks.subtitle")}
      card={({ title, name, url_template }) => ({
        title,
        detail: url_template === "" ? name : `${name} · ${url_template}`,
      })}
    >
      <Column
        source="title"
        label={t("socialNetworks.fields.title")}
        render={({ id, title }) => <RecordLink to={`/social-networks/${id}`}>{title}</RecordLink>}
      />
      <Column source="name" label={t("socialNetworks.fields.name")} render={({ name }) => name} />
      <Column
        source="url_template"
        label={t("socialNetworks.fields.urlTemplate")}
        render={({ url_template }) =>
          url_template === "" ? t("socialNetworks.noAddress") : url_template
        }
      />
    </ListPage>
  );
}

export function SocialNetworkCreate() {
  return (
    <CreatePage
      resource="social-networks"
      fields={["title", "name", "url_template"]}
      toBody={({ title, name, url_template }) => ({
        title: title ?? "",
        name: name ?? "",
        url_template: url_template ?? "",
      })}
      opensList
    >
      <SocialNetworkInputs />
    </CreatePage>
  );
}

export const SocialNetworkPage = recordPage("social-networks", One);

function One({ record: network }: { record: SocialNetwork }) {
  const t = useText();
  return (
    <Page narrow title={network.title} back="social-networks">
      <Panel>
        <EditForm<SocialNetwork>
          resource="social-networks"
          record={network}
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

/** The inputs of a network. */
function SocialNetworkInputs() {
  const t = useText();
  return (
    <>
      <TextInput
        source="title"
        label={t("socialNetworks.fields.title")}
        helperText={t("socialNetworks.hints.title")}
      />
      <TextInput
        source="name"
        label={t("socialNetworks.fields.name")}
        helperText={t("socialNetworks.hints.name")}
      />
      <TextInput
        source="url_template"
        label={t("socialNetworks.fields.urlTemplate")}
        helperText={t("socialNetworks.hints.urlTemplate")}
        placeholder="https://example.com/{handle}"
      />
    </>
  );
}
