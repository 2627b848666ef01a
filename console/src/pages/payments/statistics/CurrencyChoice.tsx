import ToggleButton from "@mui/material/ToggleButton";
import ToggleButtonGroup from "@mui/material/ToggleButtonGroup";
import { useText } from "../../../i18n";
import type { OfCurrency } from "../useStatistics";

interface Props {
  currencies: OfCurrency[];
  shown: number;
  onChange: (id: number) => void;
}

/** Which currency is shown: amounts of different ones are never added. */
export function CurrencyChoice({ currencies, shown, onChange }: Props) {
  const t = useText();
  return (
    <ToggleButtonGroup
      exclusive
      color="primary"
      size="small"
      aria-label={t("payments.currency")}
      value={shown}
      onChange={(_, id: number | null) => {
        if (id !== null) {
          onChange(id);
        }
      }}
    >
      {currencies.map(({ id, code }) => (
        <ToggleButton key={id} value={id} sx={{ px: 1.5 }}>
          {code}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
