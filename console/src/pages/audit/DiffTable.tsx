import { Box, Button } from "@mui/material";
import { useState } from "react";
import { type TextKey, useFormat, useText } from "../../i18n";
import { useTokens } from "../../theme/theme";
import { asText, type Change, compare, folded, isLong, type Parts } from "./diff";

/** The fields of an entry before and after. Only the side that exists is shown. */
export function DiffTable({ changes: all }: { changes: Change[] }) {
  const t = useText();
  const read = useReadable();
  const changes = all
    .map(({ path, before, after }) => ({ path, before: read(before), after: read(after) }))
    // A block that begins replaces nothing by its fields.
    .filter(({ before, after }) => isText(before) || isText(after));
  const hasBefore = changes.some(({ before }) => before !== undefined);
  const hasAfter = changes.some(({ after }) => after !== undefined);
  return (
    <Box
      component="table"
      sx={{
        width: 1,
        tableLayout: "fixed",
        borderCollapse: "collapse",
        fontSize: 13,
        "& th": { textAlign: "left", fontWeight: 600, color: "text.secondary", p: 1 },
        "& td, & tbody th": { verticalAlign: "top", borderTop: 1, borderColor: "divider" },
        "& td": { p: 1 },
      }}
    >
      <thead>
        <tr>
          <Box component="th" sx={{ width: { xs: "32%", sm: 220 } }}>
            {t("common.conflict.field")}
          </Box>
          {hasBefore && <th>{t("audit.before")}</th>}
          {hasAfter && <th>{t("audit.after")}</th>}
        </tr>
      </thead>
      <tbody>
        {changes.map((change) => (
          <Row key={change.path} change={change} hasBefore={hasBefore} hasAfter={hasAfter} />
        ))}
      </tbody>
    </Box>
  );
}

interface RowProps {
  change: Change;
  hasBefore: boolean;
  hasAfter: boolean;
}

function Row({ change, hasBefore, hasAfter }: RowProps) {
  const t = useText();
  const label = useLabel();
  const [isOpen, setOpen] = useState(false);
  const { path, before, after } = change;
  // A number that changed is another number, whatever digits they have in common.
  const isBoth = [before, after].every((value) => isText(value) && typeof value !== "number");
  const [old, now] = isBoth
    ? compare(asText(before), asText(after))
    : [whole(before), whole(after)];
  const canOpen = isLong(old) || isLong(now);
  const shown = (parts: Parts) => (canOpen && !isOpen ? folded(parts) : parts);
  return (
    <tr>
      <Box component="th" scope="row" sx={{ overflowWrap: "anywhere" }}>
        {label(path)}
        {canOpen && (
          <Box>
            <Button size="small" sx={{ px: 0 }} onClick={() => setOpen(!isOpen)}>
              {t(isOpen ? "audit.fold" : "audit.unfold")}
            </Button>
          </Box>
        )}
      </Box>
      {hasBefore && (
        <td>
          <Value value={before} parts={shown(old)} side="before" />
        </td>
      )}
      {hasAfter && (
        <td>
          <Value value={after} parts={shown(now)} side="after" />
        </td>
      )}
    </tr>
  );
}

interface ValueProps {
  value: unknown;
  parts: Parts;
  side: "before" | "after";
}

function Value({ value, parts, side }: ValueProps) {
  const t = useText();
  const tokens = useTokens();
  if (!isText(value)) {
    return (
      <Box component="span" sx={{ color: "text.secondary" }}>
        {value === undefined ? "–" : t("common.conflict.empty")}
      </Box>
    );
  }
  const colours =
    side === "before"
      ? { bgcolor: tokens.badSoft, color: tokens.bad }
      : { bgcolor: tokens.goodSoft, color: tokens.good };
  return (
    <Box component="span" sx={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
      {parts.start}
      {parts.middle !== "" && (
        <Box
          component={side === "before" ? "del" : "ins"}
          sx={{ ...colours, textDecoration: "none", borderRadius: 0.5, px: 0.25 }}
        >
          {parts.middle}
        </Box>
      )}
      {parts.end}
    </Box>
  );
}

/** The name of a field as forms call it: `block.until` is `Block · Ends`. */
function useLabel(): (path: string) => string {
  const t = useText();
  return (path) =>
    path
      .split(".")
      .map((step) => {
        const name = step.charAt(0).toUpperCase() + step.slice(1).replaceAll("_", " ");
        return /^\d+$/.test(step) ? `#${step}` : t(`audit.fields.${step}` as TextKey, { _: name });
      })
      .join(" · ");
}

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;

/** A value as it is shown elsewhere: a moment in the reader's time zone, yes and no. */
function useReadable(): (value: unknown) => unknown {
  const t = useText();
  const format = useFormat();
  return (value) => {
    if (typeof value === "boolean") {
      return t(value ? "common.yes" : "common.no");
    }
    return typeof value === "string" && MOMENT.test(value) ? format.moment(value) : value;
  };
}

/** Whether there is something to show: `null` and an empty text are empty. */
function isText(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

function whole(value: unknown): Parts {
  return { start: "", middle: isText(value) ? asText(value) : "", end: "" };
}
