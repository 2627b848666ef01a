import AddIcon from "@mui/icons-material/Add";
import LinkOutlined from "@mui/icons-material/LinkOutlined";
import Button from "@mui/material/Button";
import { DataTable } from "react-admin";
import { Link } from "react-router";
import { EmptyState } from "../../components/EmptyState";
import { ListPage } from "../../components/list/ListPage";
import { RecordLink } from "../../components/list/RecordLink";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import type { SocialNetwork } from "./types";

const Column = DataTable.Col<SocialNetwork>;

export function SocialNetworkList() {
  const t = useText();
  const mayWrite = useCan("admin.users");
  const create = mayWrite && (
    <Button
      component={Link}
      to="/social-networks/create"
      variant="contained"
      startIcon={<AddIcon />}
    >
      {t("socialNetworks.create")}
    </Button>
  );
  return (
    <ListPage<SocialNetwork>
      resource="social-networks"
      title={t("socialNetworks.title")}
      subtitle={t("socialNetworks.subtitle")}
      actions={create}
      empty={
        <EmptyState
          icon={LinkOutlined}
          title={t("socialNetworks.empty.title")}
          text={t("socialNetworks.empty.text")}
          action={create}
        />
      }
      card={({ title, name, url_template }) => ({
        title,
        detail: url_template === "" ? name : `${name} · ${url_template}`,
      })}
    >
      <Column
        source="title"
        label={t("socialNetworks.fields.title")}
        disableSort
        render={({ id, title }) => <RecordLink to={`/social-networks/${id}`}>{title}</RecordLink>}
      />
      <Column
        source="name"
        label={t("socialNetworks.fields.name")}
        disableSort
        render={({ name }) => name}
      />
      <Column
        source="url_template"
        label={t("socialNetworks.fields.urlTemplate")}
        disableSort
        render={({ url_template }) =>
          url_template === "" ? t("socialNetworks.noAddress") : url_template
        }
      />
    </ListPage>
  );
}
