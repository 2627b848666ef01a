import Add from "@mui/icons-material/Add";
import DescriptionOutlined from "@mui/icons-material/DescriptionOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { DataTable, type RaRecord } from "react-admin";
import { Link } from "react-router";
import type { Schemas } from "../../api/client";
import { EmptyState } from "../../components/EmptyState";
import { ListPage } from "../../components/list/ListPage";
import { When } from "../../components/When";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { MONOSPACE } from "../../theme/tokens";
import { PageState } from "./PageState";

type Item = Schemas["PageItem"] & RaRecord;

const Column = DataTable.Col<Item>;

export function PageList() {
  const t = useText();
  const mayWrite = useCan("admin.pages");
  const create = mayWrite ? (
    <Button variant="contained" startIcon={<Add />} component={Link} to="/pages/create">
      {t("pages.new")}
    </Button>
  ) : null;

  return (
    <ListPage<Item>
      resource="pages"
      title={t("pages.title")}
      subtitle={t("pages.subtitle")}
      actions={create}
      empty={
        <EmptyState
          icon={DescriptionOutlined}
          title={t("pages.empty.title")}
          text={t("pages.empty.text")}
          action={create}
        />
      }
      card={(page) => ({
        title: page.title,
        detail: <Slug slug={String(page.slug)} />,
        aside: <PageState isActive={page.is_active} />,
      })}
    >
      <Column source="title" label={t("pages.fields.title")} disableSort />
      <Column
        source="slug"
        label={t("pages.fields.slug")}
        disableSort
        render={(page) => <Slug slug={String(page.slug)} />}
      />
      <Column
        source="is_active"
        label={t("pages.fields.is_active")}
        disableSort
        render={(page) => <PageState isActive={page.is_active} />}
      />
      <Column
        source="created_at"
        label={t("common.createdAt")}
        disableSort
        render={(page) => <When at={page.created_at} />}
      />
    </ListPage>
  );
}

function Slug({ slug }: { slug: string }) {
  return (
    <Box component="span" sx={{ fontFamily: MONOSPACE, fontSize: 13, overflowWrap: "anywhere" }}>
      /{slug}
    </Box>
  );
}
