import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import { type RaRecord, useGetOne } from "react-admin";
import { useParams } from "react-router";
import type { Schemas } from "../../api/client";
import { ETAG } from "../../api/dataProvider";
import { DeleteButton } from "../../components/DeleteButton";
import { EditForm } from "../../components/form/EditForm";
import { Page } from "../../components/Page";
import { PageSkeleton } from "../../components/PageSkeleton";
import { When } from "../../components/When";
import { useText } from "../../i18n";
import { useErrorText } from "../../i18n/describe";
import { useCan } from "../../session/session";
import { BlocksPanel } from "./blocks/BlocksPanel";
import { PAGE_FIELDS, PageFields } from "./PageFields";
import { PageState } from "./PageState";

type PageRecord = Schemas["PageDetail"] & RaRecord<number> & { [ETAG]?: string };

export function PagePage() {
  const t = useText();
  const errorText = useErrorText();
  const { id } = useParams();
  const mayWrite = useCan("admin.pages");
  const { data: page, error } = useGetOne<PageRecord>("pages", { id: Number(id) });
  const back = { to: "/pages", text: t("pages.title") };

  if (error) {
    return (
      <Page title={t("pages.one")} back={back}>
        <Alert severity="error">{errorText(error)}</Alert>
      </Page>
    );
  }
  if (page === undefined) {
    return <PageSkeleton />;
  }
  return (
    <Page
      title={page.title}
      back={back}
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
