import Add from "@mui/icons-material/Add";
import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import List from "@mui/material/List";
import Skeleton from "@mui/material/Skeleton";
import Typography from "@mui/material/Typography";
import { visuallyHidden } from "@mui/utils";
import { useState } from "react";
import { useNotify } from "react-admin";
import { ConfirmDialog } from "../../../components/ConfirmDialog";
import { Panel } from "../../../components/Panel";
import { useText } from "../../../i18n";
import { useErrorText } from "../../../i18n/describe";
import { BlockDialog } from "./BlockDialog";
import { BlockRow } from "./BlockRow";
import type { Block } from "./draft";
import { useBlockName } from "./useBlockName";
import { useBlocks } from "./useBlocks";

interface Props {
  page: number;
  /** The entity tag of the page. */
  tag: string | undefined;
  readOnly: boolean;
}

/** What a page consists of below its own content: blocks in an order that can be changed. */
export function BlocksPanel({ page, tag, readOnly }: Props) {
  const t = useText();
  const errorText = useErrorText();
  const notify = useNotify();
  const nameOf = useBlockName();
  const { query, blocks, current, add, change, remove, move } = useBlocks(page, tag);
  const [edited, setEdited] = useState<Block | "new" | null>(null);
  const [removed, setRemoved] = useState<Block | null>(null);
  const [dragged, setDragged] = useState<Block | null>(null);
  const [news, setNews] = useState("");

  const moveTo = (block: Block, place: (from: number) => number) => {
    const from = current().findIndex(({ id }) => id === block.id);
    const to = place(from);
    const count = current().length;
    if (from < 0 || to < 0 || to >= count || to === from) {
      return;
    }
    setNews(t("pages.blocks.moved", { name: nameOf(block), position: to + 1, count }));
    move(from, to, (error) => notify(errorText(error), { type: "error" }));
  };

  return (
    <Panel
      title={t("pages.blocks.title")}
      hint={readOnly ? t("pages.blocks.hint") : t("pages.blocks.sortHint")}
      flush
      actions={
        !readOnly && (
          <Button variant="outlined" startIcon={<Add />} onClick={() => setEdited("new")}>
            {t("pages.blocks.add")}
          </Button>
        )
      }
    >
      {query.isError ? (
        <Alert severity="error" sx={{ m: 2 }}>
          {errorText(query.error)}
        </Alert>
      ) : query.isPending ? (
        <Box aria-busy sx={{ px: 2.5, pb: 2 }}>
          <Skeleton height={56} />
          <Skeleton height={56} />
        </Box>
      ) : blocks.length === 0 ? (
        <Typography color="textSecondary" sx={{ px: 2.5, pb: 3 }}>
          {t("pages.blocks.empty")}
        </Typography>
      ) : (
        <List disablePadding aria-label={t("pages.blocks.title")}>
          {blocks.map((block, index) => (
            <BlockRow
              key={block.id}
              block={block}
              index={index}
              count={blocks.length}
              readOnly={readOnly}
              dragged={dragged === null ? null : blocks.findIndex(({ id }) => id === dragged.id)}
              onDrag={(isDragged) => setDragged(isDragged ? block : null)}
              onStep={(step) => moveTo(block, (from) => from + step)}
              onDrop={() => dragged !== null && moveTo(dragged, () => index)}
              onEdit={() => setEdited(block)}
              onRemove={() => setRemoved(block)}
            />
          ))}
        </List>
      )}
      <Box role="status" sx={visuallyHidden}>
        {news}
      </Box>
      {edited !== null && (
        <BlockDialog
          block={edited === "new" ? null : edited}
          save={(block) =>
            edited === "new" ? add.mutateAsync(block) : change.mutateAsync({ base: edited, block })
          }
          onClose={() => setEdited(null)}
        />
      )}
      {removed !== null && (
        <ConfirmDialog
          title={t("pages.blocks.removeTitle", { name: nameOf(removed) })}
          confirm={t("common.remove")}
          danger
          onConfirm={() => remove.mutateAsync(removed.id)}
          onClose={() => setRemoved(null)}
        >
          {t("pages.blocks.removeWarning")} {t("common.cannotUndo")}
        </ConfirmDialog>
      )}
    </Panel>
  );
}
