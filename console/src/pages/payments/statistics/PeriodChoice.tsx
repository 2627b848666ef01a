import Box from "@mui/material/Box";
import TextField from "@mui/material/TextField";
import ToggleButton from "@mui/material/ToggleButton";
import ToggleButtonGroup from "@mui/material/ToggleButtonGroup";
import { useText } from "../../../i18n";
import { type Chosen, LENGTHS } from "./period";

interface Props {
  period: Chosen;
  onChange: (values: { days: string | null; from: string | null; to: string | null }) => void;
}

/** The last days, or from one day to another. */
export function PeriodChoice({ period: { from, to, length }, onChange }: Props) {
  const t = useText();
  const choose = (ends: { from: string; to: string }) => {
    // While a day is being typed it is empty, and a period must not end before it begins.
    if (ends.from !== "" && ends.to !== "" && ends.from <= ends.to) {
      onChange({ days: null, ...ends });
    }
  };
  const day = {
    type: "date",
    size: "small",
    slotProps: { inputLabel: { shrink: true } },
    sx: { width: 160 },
  } as const;
  return (
    <Box sx={{ display: "flex", flexWrap: "wrap", gap: 1.5 }}>
      <ToggleButtonGroup
        exclusive
        color="primary"
        size="small"
        aria-label={t("payments.statistics.period")}
        value={length}
        onChange={(_, days: number | null) => {
          if (days !== null) {
            onChange({ days: String(days), from: null, to: null });
          }
        }}
      >
        {LENGTHS.map((days) => (
          <ToggleButton key={days} value={days} sx={{ px: 1.5 }}>
            {t("payments.statistics.days", { smart_count: days })}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      <Box sx={{ display: "flex", gap: 1 }}>
        <TextField
          {...day}
          key={`from ${from}`}
          label={t("payments.from")}
          defaultValue={from}
          onChange={({ target }) => choose({ from: target.value, to })}
        />
        <TextField
          {...day}
          key={`to ${to}`}
          label={t("payments.to")}
          defaultValue={to}
          onChange={({ target }) => choose({ from, to: target.value })}
        />
      </Box>
    </Box>
  );
}
