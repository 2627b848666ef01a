import { Box } from "@mui/material";
import { useEffect, useRef } from "react";
import type { RaRecord } from "react-admin";
import { useFormContext, useWatch } from "react-hook-form";
import { api, body, type Schemas } from "../../api/client";
import { ETAG } from "../../api/dataProvider";
import { DeleteButton } from "../../components/DeleteDialog";
import { CreateForm } from "../../components/form/CreateForm";
import { EditForm } from "../../components/form/EditForm";
import { ListPage, UnsortedColumn } from "../../components/list/ListPage";
import { recordPage } from "../../components/recordPage";
import { Page } from "../../components/Page";
import { Code, State, When } from "../../components/text";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { BlocksPanel } from "./blocks/BlocksPanel";
import { field, PAGE_FIELDS, PageFields } from "./PageFields";
import { slugOf } from "./slug";

type Item = Schemas["PageItem"] & RaRecord;

const Column = UnsortedColumn<Item>;

export function PageList() {
  const t = useText();
  const slug = (page: Item) => <Code>/{String(page.slug)}</Code>;
  return (
    <ListPage<Item>
      resource="pages"
      subtitle={t("pages.subtitle")}
      card={(page) => ({
        title: page.title,
        detail: slug(page),
        aside: <PageState isActive={page.is_active} />,
      })}
    >
      <Column source="title" label={t("pages.fields.title")} />
      <Column source="slug" label={t("pages.fields.slug")} render={slug} />
      <Column
        source="is_active"
        label={t("pages.fields.is_active")}
        render={(page) => <PageState isActive={page.is_active} />}
      />
      <Column
        source="created_at"
        label={t("common.createdAt")}
        render={(page) => <When at={page.created_at} />}
      />
    </ListPage>
  );
}

export function PageCreate() {
  const t = useText();
  return (
    <Page title={t("lists.create.pages")} back="pages">
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

type PageRecord = Schemas["PageDetail"] & RaRecord<number> & { [ETAG]?: string };

export const PagePage = recordPage("pages", Content);

function Content({ record: page }: { record: PageRecord }) {
  const t = useText();
  const mayWrite = useCan("admin.pages");
  return (
    <Page
      title={page.title}
      back="pages"
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

/** Whether visitors of the site see a page. */
function PageState({ isActive }: { isActive: boolean }) {
  const t = useText();
  return (
    <State
      tone={isActive ? "good" : "neutral"}
      text={t(isActive ? "pages.state.active" : "pages.state.inactive")}
    />
  );
}

/** Fills in the slug while the title is typed, until the person writes a slug of their own. */
function SlugSuggestion() {
  const { setValue } = useFormContext();
  const [title, slug] = useWatch({ name: [field("title"), field("slug")] }) as unknown[];
  const suggested = useRef("");

  useEffect(() => {
    const next = slugOf(typeof title === "string" ? title : "");
    if ((slug ?? "") === suggested.current && next !== suggested.current) {
      suggested.current = next;
      setValue(field("slug"), next, { shouldDirty: true });
    }
  }, [title, slug, setValue]);

  return null;
}
