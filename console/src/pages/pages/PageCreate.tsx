import { api, body, type Schemas } from "../../api/client";
import { CreateForm } from "../../components/form/CreateForm";
import { Page } from "../../components/Page";
import { useText } from "../../i18n";
import { PAGE_FIELDS, PageFields } from "./PageFields";
import { SlugSuggestion } from "./SlugSuggestion";

export function PageCreate() {
  const t = useText();
  return (
    <Page title={t("pages.new")} back={{ to: "/pages", text: t("pages.title") }}>
      <CreateForm
        fields={PAGE_FIELDS}
        defaults={{ content: "", is_active: true }}
        create={async (values) => {
          const { page } = await body(
            api.POST("/api/cms-pages", { body: values as Schemas["NewPage"] }),
          );
          return `/pages/${page.id}`;
        }}
      >
        <SlugSuggestion />
        <PageFields />
      </CreateForm>
    </Page>
  );
}
