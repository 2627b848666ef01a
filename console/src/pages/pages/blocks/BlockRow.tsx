import ArrowDownward from "@mui/icons-material/ArrowDownward";
import ArrowUpward from "@mui/icons-material/ArrowUpward";
import DataObject from "@mui/icons-material/DataObject";
import DeleteOutlined from "@mui/icons-material/DeleteOutlined";
import DragIndicator from "@mui/icons-material/DragIndicator";
import EditOutlined from "@mui/icons-material/EditOutlined";
import ImageOutlined from "@mui/icons-material/ImageOutlined";
import Notes from "@mui/icons-material/Notes";
import Box from "@mui/material/Box";
import IconButton from "@mui/material/IconButton";
import ListItem from "@mui/material/ListItem";
import Tooltip from "@mui/material/Tooltip";
import Typography from "@mui/material/Typography";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { useText } from "../../../i18n";
import { useTokens } from "../../../theme/theme";
import { type Block, imageOf, kindOf } from "./draft";
import { summary, useBlockName } from "./useBlockName";

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
        <Tooltip title={t("pages.blocks.handle")}>
          <IconButton
            size="small"
            draggable
            aria-label={t("pages.blocks.move", { name })}
            aria-keyshortcuts="ArrowUp ArrowDown"
            onKeyDown={onKeyDown}
            onDragStart={(event) => {
              event.dataTransfer.effectAllowed = "move";
              event.dataTransfer.setData("text/plain", name);
              onDrag(true);
            }}
            onDragEnd={() => onDrag(false)}
            sx={{ cursor: "grab" }}
          >
            <DragIndicator fontSize="small" />
          </IconButton>
        </Tooltip>
      )}
      <Icon fontSize="small" sx={{ color: "text.secondary" }} />
      <Box sx={{ flexGrow: 1, minWidth: 0 }}>
        <Typography variant="body2" sx={{ fontWeight: 600 }}>
          {kind === "other" ? block.type : t(`pages.blocks.kinds.${kind}`)}
          {kind === "image" && <Size {...imageOf(block.content)} />}
        </Typography>
        <Typography variant="body2" color="textSecondary" noWrap>
          {summary(block)}
        </Typography>
      </Box>
      {!readOnly && (
        <Box sx={{ display: "flex", flexShrink: 0 }}>
          <Act
            label={t("pages.blocks.up", { name })}
            disabled={index === 0}
            onClick={() => onStep(-1)}
          >
            <ArrowUpward fontSize="small" />
          </Act>
          <Act
            label={t("pages.blocks.down", { name })}
            disabled={index === count - 1}
            onClick={() => onStep(1)}
          >
            <ArrowDownward fontSize="small" />
          </Act>
          <Act label={t("pages.blocks.edit", { name })} onClick={props.onEdit}>
            <EditOutlined fontSize="small" />
          </Act>
          <Act label={t("pages.blocks.remove", { name })} onClick={props.onRemove}>
            <DeleteOutlined fontSize="small" />
          </Act>
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

interface ActProps {
  label: string;
  disabled?: boolean;
  onClick: () => void;
  children: ReactNode;
}

function Act({ label, disabled, onClick, children }: ActProps) {
  return (
    <IconButton
      size="small"
      aria-label={label}
      title={label}
      disabled={disabled === true}
      onClick={onClick}
    >
      {children}
    </IconButton>
  );
}
