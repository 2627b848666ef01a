import { Box, FormHelperText, TextField, Typography } from "@mui/material";
import { useId, useState } from "react";
import { useInput } from "react-admin";
import { useFormContext } from "react-hook-form";
import { localMoment, parseMoment } from "../../api/moment";
import { ToggleButtons } from "../../components/ToggleButtons";
import { TIME_ZONE, useFormat, useText } from "../../i18n";

const OTHERS = ["forever", "other"] as const;
type Other = (typeof OTHERS)[number];

interface Props<L> {
  source: string;
  /** The label of the chosen moment. */
  label: string;
  /** The usual lengths. */
  lengths: readonly [L, ...L[]];
  /** What is chosen at first. The form has the same as its default. */
  start: L | Other;
  /** The end after this long. */
  after: (length: L, now: Date) => string;
  text: (length: L) => string;
  /** Where the form has the chosen length, if it counts from when the form is sent. */
  lengthSource?: string;
  /** Why it must end, if it must. */
  endless?: string;
}

/** When a block or a role ends: after a usual time, at a chosen moment, or never. */
export function EndInput<L extends string | number>(props: Props<L>) {
  const { source, label, lengths, start, after, text, lengthSource, endless } = props;
  const t = useText();
  const format = useFormat();
  const id = useId();
  const [choice, setChoice] = useState<L | Other>(start);
  const { field, fieldState } = useInput<string | null>({ source });
  const { setValue } = useFormContext();
  const end = typeof field.value === "string" && field.value !== "" ? field.value : null;

  const problem = end === null && choice === "forever" ? endless : undefined;

  const choose = (next: L | Other) => {
    setChoice(next);
    if (lengthSource !== undefined) {
      setValue(lengthSource, isOther(next) ? null : next);
    }
    if (!isOther(next)) {
      field.onChange(after(next, new Date()));
    } else if (next === "forever") {
      field.onChange(null);
    } else {
      field.onChange(end ?? after(lengths[0], new Date()));
    }
  };

  return (
    <Box>
      <Typography variant="body2" color="textSecondary" id={id} sx={{ mb: 0.5 }}>
        {t("users.term.label")}
      </Typography>
      <ToggleButtons<L | Other>
        wraps
        aria-labelledby={id}
        value={choice}
        options={[...lengths, ...OTHERS]}
        text={(option) => (isOther(option) ? t(`users.term.${option}`) : text(option))}
        onChange={choose}
        buttonSx={{ px: "7px" }}
      />
      {choice === "other" && (
        <TextField
          type="datetime-local"
          fullWidth
          sx={{ mt: 2 }}
          label={label}
          helperText={t("common.timeZone", { zone: TIME_ZONE })}
          value={end === null ? "" : localMoment(end)}
          onChange={({ target }) => field.onChange(parseMoment(target.value))}
          slotProps={{ inputLabel: { shrink: true } }}
        />
      )}
      <FormHelperText error={fieldState.invalid || problem !== undefined}>
        {problem ??
          fieldState.error?.message ??
          (end === null
            ? t("users.term.endsNever")
            : t("users.term.ends", { at: format.moment(end) }))}
      </FormHelperText>
    </Box>
  );
}

function isOther(option: string | number): option is Other {
  return (OTHERS as readonly (string | number)[]).includes(option);
}
