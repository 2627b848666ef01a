import Box from "@mui/material/Box";
import type { RaRecord } from "react-admin";
import type { Schemas } from "../../api/client";
import { ETAG } from "../../api/dataProvider";
import { DeleteButton } from "../../components/DeleteButton";
import { EditForm } from "../../components/form/EditForm";
import { OneRecord } from "../../components/OneRecord";
import { Page } from "../../components/Page";
import { When } from "../../components/When";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { BlocksPanel } from "./blocks/BlocksPanel";
import { PAGE_FIELDS, PageFields } from "./PageFields";
import { PageState } from "./PageState";

type PageRecord = Schemas["PageDetail"] & RaRecord<number> & { [ETAG]?: string };

export function PagePage() {
  return <OneRecord<PageRecord> resource="pages">{(page) => <Content page={page} />}</OneRecord>;
}

function Content({ page }: { page: PageRecord }) {
  const t = useText();
  const mayWrite = useCan("admin.pages");
  return (
    <Page
      title={page.title}
      back={{ to: "/pages", text: t("pages.title") }}
      badge={<PageState isActive={page.is_active} />}
      subtitle={
        <>
          /{String(page.slug)} · {t("common.updatedAt")} <When at={page.updated_at} />
        </>
      }
      actions={
        mayWrite && (
          <DeleteButton resource="pages" record={page} name={page.title}>
            {t("pages.deleteWarning", { slug: page.slug })} {t("common.cannotUndo")}
          </DeleteButton>
        )
      }
    >
      <EditForm<PageRecord>
        resource="pages"
        record={page}
        readOnly={!mayWrite}
        fields={Object.fromEntries(PAGE_FIELDS.map((name) => [name, t(`pages.fields.${name}`)]))}
      >
        <PageFields />
      </EditForm>
      <Box sx={{ mt: 3 }}>
        <BlocksPanel page={page.id} tag={page[ETAG]} readOnly={!mayWrite} />
      </Box>
    </Page>
  );
}
