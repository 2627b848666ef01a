import type { ItemInstance } from "@headless-tree/core";
import ChevronRight from "@mui/icons-material/ChevronRight";
import DragIndicator from "@mui/icons-material/DragIndicator";
import OpenInNew from "@mui/icons-material/OpenInNew";
import { Box, Typography } from "@mui/material";
import { ActionMenu } from "../../components/IconAction";
import { Muted, State } from "../../components/text";
import { useText } from "../../i18n";
import { useChangedBy } from "../../live/LiveUpdates";
import { useTokens } from "../../theme/theme";
import type { Entry, Step } from "./tree";
import { isForNobody } from "./visitor";

interface Props {
  item: ItemInstance<{ entry: Entry | undefined }>;
  entry: Entry;
  indent: number;
  readOnly: boolean;
  isDragged: boolean;
  canStep: (step: Step) => boolean;
  onStep: (step: Step) => void;
  onEdit: () => void;
  onAdd: () => void;
  onDelete: () => void;
}

/** One item of the menu: its title, where it leads, and who sees it. */
export function TreeRow(props: Props) {
  const { item, entry, indent, readOnly, isDragged, onEdit } = props;
  const t = useText();
  const tokens = useTokens();
  const isChanged = useChangedBy("navigation")(entry.id) !== undefined;
  const isFolder = item.isFolder();
  const isTarget = !readOnly && item.isUnorderedDragTarget();
  const toggle = () => (item.isExpanded() ? item.collapse() : item.expand());

  return (
    <Box
      {...item.getProps()}
      // The tree would name the row after its title alone, and hide where it leads and who sees it.
      aria-label={undefined}
      // Assistive technology moves the focus without a key that the tree knows of.
      onFocus={(event) => {
        if (event.target === event.currentTarget && !item.isFocused()) {
          item.setFocused();
        }
      }}
      onClick={onEdit}
      sx={{
        display: "flex",
        alignItems: "center",
        gap: 0.75,
        minHeight: 44,
        py: 0.5,
        pr: 1,
        pl: `${12 + item.getItemMeta().level * indent}px`,
        cursor: "pointer",
        opacity: isDragged ? 0.45 : 1,
        bgcolor: isTarget ? tokens.accentSoft : isChanged ? tokens.warnSoft : "transparent",
        "&:hover": { bgcolor: isTarget ? tokens.accentSoft : tokens.hover },
        "&:focus-visible": { outlineOffset: -2 },
      }}
    >
      {!readOnly && (
        <DragIndicator
          aria-hidden
          sx={{ fontSize: 18, color: "text.secondary", cursor: "grab", flexShrink: 0 }}
        />
      )}
      <Box
        component="span"
        aria-hidden
        title={t(item.isExpanded() ? "navigation.collapse" : "navigation.expand")}
        onClick={(event) => {
          event.stopPropagation();
          toggle();
        }}
        sx={{
          display: "grid",
          placeItems: "center",
          width: 24,
          height: 24,
          flexShrink: 0,
          visibility: isFolder ? "visible" : "hidden",
        }}
      >
        <ChevronRight
          sx={{
            fontSize: 20,
            transform: item.isExpanded() ? "rotate(90deg)" : "none",
            transition: "transform 120ms",
          }}
        />
      </Box>
      <Box
        sx={{
          flexGrow: 1,
          minWidth: 0,
          display: "flex",
          flexWrap: "wrap",
          alignItems: "center",
          columnGap: 1.5,
        }}
      >
        <Typography sx={{ fontSize: 14.5, fontWeight: 550, overflowWrap: "anywhere" }}>
          {entry.title}
        </Typography>
        <Muted noWrap sx={{ maxWidth: "100%" }}>
          {entry.url}
          {entry.new_tab && (
            <OpenInNew
              titleAccess={t("navigation.fields.new_tab")}
              sx={{ fontSize: 14, ml: 0.5, verticalAlign: "-2px" }}
            />
          )}
        </Muted>
        <Rules entry={entry} />
      </Box>
      {!readOnly && <RowMenu {...props} />}
    </Box>
  );
}

const STEPS: Step[] = ["up", "down", "in", "out"];

/** What can be done with an item. On touch screens it also replaces drag and drop. */
function RowMenu({ item, entry, canStep, onStep, onEdit, onAdd, onDelete }: Props) {
  const t = useText();
  return (
    <ActionMenu
      name={entry.title}
      // Only the row that has the focus adds a stop for the Tab key.
      tabIndex={item.isFocused() ? 0 : -1}
      actions={[
        { text: t("common.edit"), run: onEdit },
        { text: t("navigation.addBelow"), run: onAdd, divider: true },
        ...STEPS.map((step) => ({
          text: t(`navigation.steps.${step}`),
          disabled: !canStep(step),
          divider: step === "out",
          run: () => onStep(step),
        })),
        { text: t("common.delete"), danger: true, run: onDelete },
      ]}
    />
  );
}

/** Who sees an item, if not everyone does. */
function Rules({ entry }: { entry: Entry }) {
  const t = useText();
  if (isForNobody(entry)) {
    return <State tone="bad" text={t("navigation.forNobody")} />;
  }
  return (
    <Box component="span" sx={{ display: "inline-flex", flexWrap: "wrap", gap: 0.5, my: 0.25 }}>
      {entry.visibility !== "all" && (
        <State tone="neutral" text={t(`navigation.devices.${entry.visibility}`)} />
      )}
      {entry.visible_only_for_guests && (
        <State tone="accent" text={t("navigation.audiences.guests")} />
      )}
      {entry.visible_only_for_logged_in && (
        <State tone="accent" text={t("navigation.audiences.members")} />
      )}
      {entry.roles.map(({ id, name }) => (
        <State key={id} tone="warn" text={name} />
      ))}
    </Box>
  );
}
