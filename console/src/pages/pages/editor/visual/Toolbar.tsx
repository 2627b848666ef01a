import Code from "@mui/icons-material/Code";
import DataObject from "@mui/icons-material/DataObject";
import FormatBold from "@mui/icons-material/FormatBold";
import FormatClear from "@mui/icons-material/FormatClear";
import FormatItalic from "@mui/icons-material/FormatItalic";
import FormatListBulleted from "@mui/icons-material/FormatListBulleted";
import FormatListNumbered from "@mui/icons-material/FormatListNumbered";
import FormatQuote from "@mui/icons-material/FormatQuote";
import FormatUnderlined from "@mui/icons-material/FormatUnderlined";
import GridOn from "@mui/icons-material/GridOn";
import HorizontalRule from "@mui/icons-material/HorizontalRule";
import Image from "@mui/icons-material/Image";
import Link from "@mui/icons-material/Link";
import Redo from "@mui/icons-material/Redo";
import StrikethroughS from "@mui/icons-material/StrikethroughS";
import Undo from "@mui/icons-material/Undo";
import type { SvgIconComponent } from "@mui/icons-material";
import { Box, MenuItem, TextField } from "@mui/material";
import type { ChainedCommands, Editor } from "@tiptap/core";
import { type KeyboardEvent, useEffect, useReducer, useState } from "react";
import { ActionMenu, IconAction } from "../../../../components/IconAction";
import { useText } from "../../../../i18n";
import { useTokens } from "../../../../theme/theme";
import { ImageDialog, LinkDialog } from "./dialogs";

type Change = (chain: ChainedCommands) => ChainedCommands;

interface Tool {
  name: keyof typeof ICONS;
  keys?: string;
  /** Whether it is pressed while the cursor is in an element of its name. */
  isToggle: boolean;
  change: Change;
}

const ICONS = {
  bold: FormatBold,
  italic: FormatItalic,
  underline: FormatUnderlined,
  strike: StrikethroughS,
  code: Code,
  bulletList: FormatListBulleted,
  orderedList: FormatListNumbered,
  blockquote: FormatQuote,
  codeBlock: DataObject,
  line: HorizontalRule,
  clear: FormatClear,
} satisfies Record<string, SvgIconComponent>;

const TOOLS: Tool[] = [
  { name: "bold", isToggle: true, keys: "B", change: (chain) => chain.toggleBold() },
  { name: "italic", isToggle: true, keys: "I", change: (chain) => chain.toggleItalic() },
  { name: "underline", isToggle: true, keys: "U", change: (chain) => chain.toggleUnderline() },
  { name: "strike", isToggle: true, change: (chain) => chain.toggleStrike() },
  { name: "code", isToggle: true, keys: "E", change: (chain) => chain.toggleCode() },
  { name: "bulletList", isToggle: true, change: (chain) => chain.toggleBulletList() },
  { name: "orderedList", isToggle: true, change: (chain) => chain.toggleOrderedList() },
  { name: "blockquote", isToggle: true, change: (chain) => chain.toggleBlockquote() },
  { name: "codeBlock", isToggle: true, change: (chain) => chain.toggleCodeBlock() },
  { name: "line", isToggle: false, change: (chain) => chain.setHorizontalRule() },
  { name: "clear", isToggle: false, change: (chain) => chain.unsetAllMarks() },
];

const TABLE = {
  addRow: (chain) => chain.addRowAfter(),
  addColumn: (chain) => chain.addColumnAfter(),
  headerRow: (chain) => chain.toggleHeaderRow(),
  deleteRow: (chain) => chain.deleteRow(),
  deleteColumn: (chain) => chain.deleteColumn(),
  deleteTable: (chain) => chain.deleteTable(),
} satisfies Record<string, Change>;

const TABLE_ACTIONS = Object.keys(TABLE) as (keyof typeof TABLE)[];

const LEVELS = [1, 2, 3, 4, 5, 6] as const;

/** The buttons of the visual editor. One stop for Tab; the arrow keys go from one to the next. */
export function Toolbar({ editor }: { editor: Editor }) {
  const t = useText();
  const tokens = useTokens();
  const [dialog, setDialog] = useState<"link" | "image" | null>(null);
  useTransactions(editor);
  const run = (change: Change) => () => void change(editor.chain().focus()).run();

  return (
    <Box
      role="toolbar"
      aria-label={t("pages.editor.tools.toolbar")}
      onKeyDown={moveFocus}
      sx={{
        display: "flex",
        flexWrap: "wrap",
        alignItems: "center",
        gap: 0.25,
        p: 0.5,
        borderBottom: 1,
        borderColor: "divider",
        bgcolor: tokens.inset,
      }}
    >
      <StyleSelect editor={editor} />
      {TOOLS.map(({ name, keys, isToggle, change }) => (
        <ToolButton
          key={name}
          icon={ICONS[name]}
          text={t(`pages.editor.tools.${name}`)}
          keys={keys}
          isActive={isToggle ? editor.isActive(name) : undefined}
          onClick={run(change)}
        />
      ))}
      <ToolButton
        icon={Link}
        text={t("pages.editor.tools.link")}
        isActive={editor.isActive("link")}
        onClick={() => setDialog("link")}
      />
      <ToolButton
        icon={Image}
        text={t("pages.editor.tools.image")}
        isActive={editor.isActive("image")}
        onClick={() => setDialog("image")}
      />
      {editor.isActive("table") ? (
        <ActionMenu
          icon={GridOn}
          name={t("pages.editor.tools.table")}
          tabIndex={-1}
          actions={TABLE_ACTIONS.map((name) => ({
            text: t(`pages.editor.tools.tableActions.${name}`),
            run: run(TABLE[name]),
          }))}
        />
      ) : (
        <ToolButton
          icon={GridOn}
          text={t("pages.editor.tools.table")}
          onClick={run((chain) => chain.insertTable({ rows: 3, cols: 3, withHeaderRow: true }))}
        />
      )}
      <ToolButton
        icon={Undo}
        text={t("pages.editor.tools.undo")}
        keys="Z"
        disabled={!editor.can().undo()}
        onClick={run((chain) => chain.undo())}
      />
      <ToolButton
        icon={Redo}
        text={t("pages.editor.tools.redo")}
        keys="Y"
        disabled={!editor.can().redo()}
        onClick={run((chain) => chain.redo())}
      />
      {dialog === "link" && <LinkDialog editor={editor} onClose={() => setDialog(null)} />}
      {dialog === "image" && <ImageDialog editor={editor} onClose={() => setDialog(null)} />}
    </Box>
  );
}

interface ToolButtonProps {
  icon: SvgIconComponent;
  text: string;
  /** The key that does the same, together with Ctrl. */
  keys?: string | undefined;
  /** Whether it is pressed, if it is a switch. */
  isActive?: boolean | undefined;
  disabled?: boolean;
  onClick: () => void;
}

function ToolButton({ icon, text, keys, isActive, disabled, onClick }: ToolButtonProps) {
  const tokens = useTokens();
  return (
    <IconAction
      icon={icon}
      tip={keys === undefined ? text : `${text} (Ctrl+${keys})`}
      label={text}
      size="small"
      tabIndex={-1}
      disabled={disabled === true}
      onClick={onClick}
      {...(isActive !== undefined && { "aria-pressed": isActive })}
      sx={{
        borderRadius: 1,
        color: tokens.text,
        ...(isActive === true && { color: tokens.accent, bgcolor: tokens.accentSoft }),
      }}
    />
  );
}

/** Paragraph or heading. */
function StyleSelect({ editor }: { editor: Editor }) {
  const t = useText();
  const level = LEVELS.find((one) => editor.isActive("heading", { level: one })) ?? 0;
  const choose = (chosen: number) => {
    const heading = LEVELS.find((one) => one === chosen);
    const chain = editor.chain().focus();
    void (
      heading === undefined ? chain.setParagraph() : chain.setHeading({ level: heading })
    ).run();
  };
  return (
    <TextField
      select
      size="small"
      value={level}
      onChange={(event) => choose(Number(event.target.value))}
      slotProps={{
        select: { "aria-label": t("pages.editor.tools.style") },
        htmlInput: { "aria-hidden": true },
      }}
      sx={{ width: 136, mr: 0.5, "& .MuiSelect-select": { py: 0.5 } }}
    >
      <MenuItem value={0}>{t("pages.editor.tools.paragraph")}</MenuItem>
      {LEVELS.map((one) => (
        <MenuItem key={one} value={one}>
          {t("pages.editor.tools.heading", { level: one })}
        </MenuItem>
      ))}
    </TextField>
  );
}

/** Draws a component again after each change of the text or of the selection. */
function useTransactions(editor: Editor): void {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    editor.on("transaction", draw);
    return () => void editor.off("transaction", draw);
  }, [editor]);
}

/** Moves the focus along the toolbar, as the ARIA pattern of toolbars says. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const items = [
    ...event.currentTarget.querySelectorAll<HTMLElement>("[role=combobox], button:enabled"),
  ];
  const from = items.findIndex((item) => item === event.target);
  if (step !== undefined && from >= 0) {
    event.preventDefault();
    items.at((from + step) % items.length)?.focus();
  }
}
