import Add from "@mui/icons-material/Add";
import { Box, Button, List, Typography } from "@mui/material";
import { visuallyHidden } from "@mui/utils";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type RaRecord, useDataProvider, useNotify } from "react-admin";
import { api, body } from "../../../api/client";
import { ETAG } from "../../../api/dataProvider";
import { ApiError } from "../../../api/error";
import { ConfirmDialog } from "../../../components/ConfirmDialog";
import { isEqual } from "../../../components/form/conflict";
import { Loaded } from "../../../components/Loaded";
import { Panel } from "../../../components/Page";
import { useErrorText, useText } from "../../../i18n";
import { BlockDialog } from "./BlockDialog";
import { BlockRow, useBlockName } from "./BlockRow";
import { type Block, moved, type NewBlock } from "./draft";

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
      <Loaded query={query} height={112} inset>
        {() =>
          blocks.length === 0 ? (
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
                  dragged={
                    dragged === null ? null : blocks.findIndex(({ id }) => id === dragged.id)
                  }
                  onDrag={(isDragged) => setDragged(isDragged ? block : null)}
                  onStep={(step) => moveTo(block, (from) => from + step)}
                  onDrop={() => dragged !== null && moveTo(dragged, () => index)}
                  onEdit={() => setEdited(block)}
                  onRemove={() => setRemoved(block)}
                />
              ))}
            </List>
          )
        }
      </Loaded>
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

/**
 * The blocks of a page, and what can be done with them. The entity tag is that of the page: a
 * write is repeated if another part of the page was changed, and refused if it was the
 * blocks that it is about.
 */
function useBlocks(page: number, tag: string | undefined) {
  const client = useQueryClient();
  const dataProvider = useDataProvider();
  const queryKey = ["pages", page, "blocks"];
  const path = { id: page };

  const read = async () =>
    (await body(api.GET("/api/cms-pages/{id}/blocks", { params: { path } }))).blocks;
  const query = useQuery({ queryKey, queryFn: read });
  const shown = query.data ?? [];

  const currentTag = async () => {
    const { data } = await dataProvider.getOne<RaRecord>("pages", { id: page });
    return data[ETAG] as string | undefined;
  };

  const guarded = async <T,>(
    write: (ifMatch: string | undefined) => Promise<T>,
    about: (blocks: readonly Block[]) => unknown,
  ): Promise<T> => {
    try {
      return await write(tag);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 412) {
        throw error;
      }
      const next = await currentTag();
      if (!isEqual(about(await read()), about(shown))) {
        throw error;
      }
      return await write(next);
    }
  };

  const mutationKey = [...queryKey, "write"];
  // Several writes in a row are shown when the last one is done, or blocks would jump back.
  const onSettled = async () => {
    if (client.isMutating({ mutationKey }) === 1) {
      await client.invalidateQueries({ queryKey: ["pages"] });
    }
  };
  const options = { mutationKey, scope: { id: `blocks of ${page}` }, onSettled };
  const one = (id: number) => (blocks: readonly Block[]) => blocks.find((b) => b.id === id);
  const header = (ifMatch: string | undefined) =>
    ifMatch === undefined ? {} : { "If-Match": ifMatch };

  const add = useMutation({
    ...options,
    mutationFn: (block: NewBlock) =>
      body(api.POST("/api/cms-pages/{id}/blocks", { params: { path }, body: block })),
  });

  const change = useMutation({
    ...options,
    mutationFn: async ({ base, block }: { base: Block; block: NewBlock }) => {
      const { id } = base;
      // The list may have been refreshed while the person was writing.
      if (!isEqual(one(id)(shown)?.content, base.content)) {
        throw new ApiError(412, CHANGED, null);
      }
      return guarded(
        (ifMatch) =>
          body(
            api.PUT("/api/cms-pages/{id}/blocks/{blockId}", {
              params: { path: { id: page, blockId: id }, header: header(ifMatch) },
              body: block,
            }),
          ),
        one(id),
      );
    },
  });

  const remove = useMutation({
    ...options,
    mutationFn: (id: number) =>
      guarded(
        (ifMatch) =>
          body(
            api.DELETE("/api/cms-pages/{id}/blocks/{blockId}", {
              params: { path: { id: page, blockId: id }, header: header(ifMatch) },
            }),
          ),
        one(id),
      ),
  });

  const reorder = useMutation({
    ...options,
    mutationFn: (blocks: Block[]) =>
      guarded(
        (ifMatch) =>
          body(
            api.POST("/api/cms-pages/{id}/blocks/reorder", {
              params: { path, header: header(ifMatch) },
              body: { items: blocks.map(({ id }, order) => ({ id, order })) },
            }),
          ),
        // Another order is no reason to refuse, other blocks are.
        (current) => current.map(({ id }) => id).sort((a, b) => a - b),
      ),
  });

  /** The blocks as the last move left them, which may not have been drawn yet. */
  const current = () => client.getQueryData<Block[]>(queryKey) ?? [];

  // Shown at once: a person who moves a block by several steps does not wait for each.
  const move = (from: number, to: number, onError: (error: Error) => void) => {
    const blocks = moved(current(), from, to).map((block, order) => ({ ...block, order }));
    void client.cancelQueries({ queryKey });
    client.setQueryData(queryKey, blocks);
    reorder.mutate(blocks, { onError });
  };

  return { query, blocks: shown, current, add, change, remove, move };
}

/** The same refusal as the service gives. */
const CHANGED = { code: "precondition_failed", message: "", request_id: "" } as const;
