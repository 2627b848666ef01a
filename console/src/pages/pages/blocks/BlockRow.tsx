import ArrowDownward from "@mui/icons-material/ArrowDownward";
import ArrowUpward from "@mui/icons-material/ArrowUpward";
import DataObject from "@mui/icons-material/DataObject";
import DeleteOutlined from "@mui/icons-material/DeleteOutlined";
import DragIndicator from "@mui/icons-material/DragIndicator";
import EditOutlined from "@mui/icons-material/EditOutlined";
import ImageOutlined from "@mui/icons-material/ImageOutlined";
import Notes from "@mui/icons-material/Notes";
import { Box, ListItem, Typography } from "@mui/material";
import { type KeyboardEvent, useState } from "react";
import { IconAction } from "../../../components/IconAction";
import { Muted } from "../../../components/text";
import { useText } from "../../../i18n";
import { useTokens } from "../../../theme/theme";
import { cut, excerpt } from "../excerpt";
import { type Block, imageOf, kindOf } from "./draft";

const ICONS = { text: Notes, image: ImageOutlined, other: DataObject };

interface Props {
  block: Block;
  index: number;
  count: number;
  readOnly: boolean;
  /** The position of the block that is being dragged. */
  dragged: number | null;
  onDrag: (isDragged: boolean) => void;
  /** Another block was dropped here. */
  onDrop: () => void;
  /** Moves the block by a number of places. */
  onStep: (step: number) => void;
  onEdit: () => void;
  onRemove: () => void;
}

/** One block of a page. It can be dragged, or moved with buttons and arrow keys. */
export function BlockRow(props: Props) {
  const { block, index, count, readOnly, dragged, onDrag, onStep } = props;
  const t = useText();
  const tokens = useTokens();
  const [isTarget, setTarget] = useState(false);
  const name = useBlockName()(block);
  const kind = kindOf(block.type);
  const Icon = ICONS[kind];
  const line = `inset 0 ${dragged !== null && dragged < index ? -2 : 2}px 0 ${tokens.accent}`;

  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      onStep(step);
    }
  };

  const acts = [
    {
      icon: ArrowUpward,
      tip: t("pages.blocks.up", { name }),
      disabled: index === 0,
      onClick: () => onStep(-1),
    },
    {
      icon: ArrowDownward,
      tip: t("pages.blocks.down", { name }),
      disabled: index === count - 1,
      onClick: () => onStep(1),
    },
    { icon: EditOutlined, tip: t("pages.blocks.edit", { name }), onClick: props.onEdit },
    { icon: DeleteOutlined, tip: t("pages.blocks.remove", { name }), onClick: props.onRemove },
  ];

  return (
    <ListItem
      divider={index < count - 1}
      onDragOver={(event) => {
        if (dragged !== null) {
          event.preventDefault();
          setTarget(dragged !== index);
        }
      }}
      onDragLeave={() => setTarget(false)}
      onDrop={(event) => {
        event.preventDefault();
        setTarget(false);
        props.onDrop();
      }}
      sx={{
        gap: 1,
        px: { xs: 1.5, sm: 2.5 },
        py: 1.25,
        opacity: dragged === index ? 0.45 : 1,
        boxShadow: isTarget ? line : "none",
      }}
    >
      {!readOnly && (
        <IconAction
          icon={DragIndicator}
          tip={t("pages.blocks.handle")}
          label={t("pages.blocks.move", { name })}
          size="small"
          draggable
          aria-keyshortcuts="ArrowUp ArrowDown"
          onKeyDown={onKeyDown}
          onDragStart={(event) => {
            event.dataTransfer.effectAllowed = "move";
            event.dataTransfer.setData("text/plain", name);
            onDrag(true);
          }}
          onDragEnd={() => onDrag(false)}
          sx={{ cursor: "grab" }}
        />
      )}
      <Icon fontSize="small" sx={{ color: "text.secondary" }} />
      <Box sx={{ flexGrow: 1, minWidth: 0 }}>
        <Typography variant="body2" sx={{ fontWeight: 600 }}>
          {kind === "other" ? block.type : t(`pages.blocks.kinds.${kind}`)}
          {kind === "image" && <Size {...imageOf(block.content)} />}
        </Typography>
        <Muted noWrap>{summary(block)}</Muted>
      </Box>
      {!readOnly && (
        <Box sx={{ display: "flex", flexShrink: 0 }}>
          {acts.map((act) => (
            <IconAction key={act.tip} size="small" {...act} />
          ))}
        </Box>
      )}
    </ListItem>
  );
}

function Size({ width, height }: { width: number; height: number }) {
  return (
    <Box component="span" sx={{ ml: 1, fontWeight: 400, color: "text.secondary" }}>
      {width} × {height}
    </Box>
  );
}

const LENGTH = 40;

/** A short name of a block, for buttons and announcements: its kind and how it begins. */
export function useBlockName(): (block: Block) => string {
  const t = useText();
  return (block) => {
    const kind = kindOf(block.type);
    const name = kind === "other" ? block.type : t(`pages.blocks.kinds.${kind}`);
    const start = cut(summary(block), LENGTH);
    return start === "" ? name : `${name}: ${start}`;
  };
}

/** What a block contains, in a line. */
function summary(block: Block): string {
  switch (kindOf(block.type)) {
    case "text":
      return excerpt(String(block.content), 200);
    case "image": {
      const { url, alt } = imageOf(block.content);
      return alt === "" ? url : alt;
    }
    case "other":
      return cut(JSON.stringify(block.content), 200);
  }
}
