import AccountTreeOutlined from "@mui/icons-material/AccountTreeOutlined";
import Add from "@mui/icons-material/Add";
import { Button, Card } from "@mui/material";
import { useState } from "react";
import { EmptyState } from "../../components/EmptyState";
import { LoadError } from "../../components/Loaded";
import { Columns, Page, PageSkeleton, Panel } from "../../components/Page";
import { useAddress } from "../../components/useAddress";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { CreateDialog, DeleteItem, EditDialog } from "./ItemDialogs";
import { NavigationTree } from "./NavigationTree";
import { PreviewPanel } from "./PreviewPanel";
import { useNavigation } from "./useNavigation";

/** The menu of the site: its tree, and what visitors see of it. */
export function NavigationPage() {
  const t = useText();
  const mayWrite = useCan("admin.navigation");
  const { query, entries, tree } = useNavigation();
  const [params, change] = useAddress();
  const [deleted, setDeleted] = useState<number | null>(null);

  /** Opens or closes a dialog, which the address names. */
  const show = (name: "item" | "below" | null, value: number | "top" = "top") =>
    change({ item: null, below: null, ...(name !== null && { [name]: value }) });
  const close = () => show(null);
  const item = params.get("item");
  const below = params.get("below");
  const doomed = deleted === null ? undefined : tree.get(deleted);

  const create = mayWrite ? (
    <Button variant="contained" startIcon={<Add />} onClick={() => show("below")}>
      {t("navigation.new")}
    </Button>
  ) : null;

  if (query.isPending) {
    return <PageSkeleton />;
  }
  return (
    <Page
      title={t("common.resources.navbar_items")}
      subtitle={t("navigation.subtitle")}
      actions={create}
    >
      {query.isError ? (
        <LoadError error={query.error} retry={query.refetch} />
      ) : entries.length === 0 ? (
        <Card>
          <EmptyState
            icon={AccountTreeOutlined}
            title={t("navigation.empty.title")}
            text={t("navigation.empty.text")}
            action={create}
          />
        </Card>
      ) : (
        <Columns widths="minmax(0, 1fr) minmax(0, 460px)" gap={2}>
          <Panel title={t("navigation.tree")} flush>
            <NavigationTree
              tree={tree}
              readOnly={!mayWrite}
              onEdit={(id) => show("item", id)}
              onAdd={(parent) => show("below", parent)}
              onDelete={setDeleted}
            />
          </Panel>
          <PreviewPanel tree={tree} total={entries.length} />
        </Columns>
      )}
      {item !== null && <EditDialog id={Number(item)} readOnly={!mayWrite} onClose={close} />}
      {below !== null && mayWrite && (
        <CreateDialog tree={tree} parent={below === "top" ? null : Number(below)} onClose={close} />
      )}
      {doomed !== undefined && (
        <DeleteItem
          entry={doomed}
          below={tree.children(doomed.id)}
          onClose={() => setDeleted(null)}
        />
      )}
    </Page>
  );
}
