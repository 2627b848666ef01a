import AccountTreeOutlined from "@mui/icons-material/AccountTreeOutlined";
import Add from "@mui/icons-material/Add";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Card from "@mui/material/Card";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { EmptyState } from "../../components/EmptyState";
import { Page } from "../../components/Page";
import { PageSkeleton } from "../../components/PageSkeleton";
import { Panel } from "../../components/Panel";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { CreateDialog } from "./CreateDialog";
import { DeleteItem } from "./DeleteItem";
import { EditDialog } from "./EditDialog";
import { NavigationTree } from "./NavigationTree";
import { PreviewPanel } from "./PreviewPanel";
import { useNavigation } from "./useNavigation";
import { LoadError } from "../../components/LoadError";

/** The menu of the site: its tree, and what visitors see of it. */
export function NavigationPage() {
  const t = useText();
  const mayWrite = useCan("admin.navigation");
  const { query, entries, tree } = useNavigation();
  const [params, setParams] = useSearchParams();
  const [deleted, setDeleted] = useState<number | null>(null);

  /** Opens or closes a dialog, which the address names. */
  const show = (name: "item" | "below" | null, value = "") =>
    setParams((current) => {
      const next = new URLSearchParams(current);
      next.delete("item");
      next.delete("below");
      if (name !== null) {
        next.set(name, value);
      }
      return next;
    });
  const close = () => show(null);
  const item = params.get("item");
  const below = params.get("below");
  const doomed = deleted === null ? undefined : tree.get(deleted);

  const create = mayWrite ? (
    <Button variant="contained" startIcon={<Add />} onClick={() => show("below", "top")}>
      {t("navigation.new")}
    </Button>
  ) : null;

  if (query.isPending) {
    return <PageSkeleton />;
  }
  return (
    <Page title={t("navigation.title")} subtitle={t("navigation.subtitle")} actions={create}>
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
        <Box
          sx={{
            display: "grid",
            gap: 2,
            alignItems: "start",
            gridTemplateColumns: { xs: "minmax(0, 1fr)", lg: "minmax(0, 1fr) minmax(0, 460px)" },
          }}
        >
          <Panel title={t("navigation.tree")} flush>
            <NavigationTree
              tree={tree}
              readOnly={!mayWrite}
              onEdit={(id) => show("item", String(id))}
              onAdd={(parent) => show("below", String(parent))}
              onDelete={setDeleted}
            />
          </Panel>
          <PreviewPanel tree={tree} total={entries.length} />
        </Box>
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
