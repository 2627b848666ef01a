import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useState } from "react";
import { useText } from "../../i18n";
import { useTokens } from "../../theme/theme";
import { MONOSPACE } from "../../theme/tokens";
import { asText, type Change, compare, folded, isLong, type Parts } from "./diff";

/** The fields of an entry before and after. Only the side that exists is shown. */
export function DiffTable({ changes }: { changes: Change[] }) {
  const t = useText();
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
            {t("audit.field")}
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
      <Box component="th" scope="row" sx={{ fontFamily: MONOSPACE, overflowWrap: "anywhere" }}>
        {path}
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
    <Box
      component="span"
      sx={{ fontFamily: MONOSPACE, whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}
    >
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

/** Whether there is something to show: `null` and an empty text are empty. */
function isText(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

function whole(value: unknown): Parts {
  return { start: "", middle: isText(value) ? asText(value) : "", end: "" };
}
