import Box from "@mui/material/Box";
import { TextInput } from "react-admin";
import { useWatch } from "react-hook-form";
import { useText } from "../../i18n";
import { useTokens } from "../../theme/theme";

interface Props {
  source: string;
  label: string;
  hint: string;
  /** How many characters search engines show. */
  shown: number;
  rows?: number;
}

/** A text for search engines. It says how much of it will be seen. */
export function MetaInput({ source, label, hint, shown, rows }: Props) {
  const t = useText();
  const tokens = useTokens();
  const value: unknown = useWatch({ name: source });
  const length = typeof value === "string" ? [...value].length : 0;
  const isLong = length > shown;
  return (
    <TextInput
      source={source}
      label={label}
      fullWidth
      sx={{ mb: 1.5 }}
      {...(rows !== undefined && { multiline: true, minRows: rows })}
      helperText={
        length === 0 ? (
          hint
        ) : (
          <Box component="span" sx={{ color: isLong ? tokens.warn : tokens.good }}>
            {t(isLong ? "pages.search.long" : "pages.search.fits", { length, shown })}
          </Box>
        )
      }
    />
  );
}
