import { ToggleButton, ToggleButtonGroup, type ToggleButtonGroupProps } from "@mui/material";
import type { SxProps } from "@mui/material/styles";

interface Props<V> extends Omit<ToggleButtonGroupProps, "value" | "onChange"> {
  /** Null if it is none of the options. */
  value: V | null;
  options: readonly V[];
  text: (option: V) => string;
  onChange: (option: V) => void;
  /** Whether they take several lines on a phone. Then each has a border of its own. */
  wraps?: boolean;
  buttonSx?: SxProps;
}

const WRAPPING: SxProps = {
  flexWrap: "wrap",
  gap: 0.75,
  "&& .MuiToggleButton-root": { m: 0, border: 1, borderColor: "divider", borderRadius: 1 },
};

/** One of a few options, as buttons side by side. */
export function ToggleButtons<V extends string | number>(props: Props<V>) {
  const { options, text, onChange, wraps, buttonSx, ...group } = props;
  return (
    <ToggleButtonGroup
      exclusive
      size="small"
      {...(wraps === true && { color: "primary", sx: WRAPPING })}
      {...group}
      // A click on the chosen button would choose none.
      onChange={(_, chosen: V | null) => chosen !== null && onChange(chosen)}
    >
      {options.map((option) => (
        <ToggleButton key={option} value={option} sx={{ px: 1.5, ...buttonSx }}>
          {text(option)}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
