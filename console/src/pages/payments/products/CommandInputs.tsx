import { Box, Chip, TextField } from "@mui/material";
import { useRef } from "react";
import { useInput } from "react-admin";
import { useFormContext } from "react-hook-form";
import { Muted } from "../../../components/text";
import { useText } from "../../../i18n";
import { MONOSPACE } from "../../../theme/tokens";
import { insertPlaceholder, type Placeholder } from "./command";
import { CommandPreview } from "./CommandPreview";

interface Command {
  source: string;
  label: string;
  hint?: string;
  required?: boolean;
}

interface Shown {
  placeholders: readonly Placeholder[];
  /** The longest command. */
  length: number;
  /** What the preview is filled with. */
  serverId: number;
  seconds: number;
}

interface Props extends Shown {
  commands: readonly [Command, ...Command[]];
}

/** Commands with what would be sent, and buttons that insert placeholders into them. */
export function CommandInputs({ commands, ...shown }: Props) {
  const t = useText();
  const { getValues, setValue, setFocus, formState } = useFormContext();
  /** The input that was typed into last. */
  const lastRef = useRef<{ source: string; element: HTMLInputElement }>(null);

  const insert = (name: Placeholder) => {
    const { source = commands[0].source, element } = lastRef.current ?? {};
    const text = (getValues(source) as string | null) ?? "";
    const from = element?.selectionStart ?? text.length;
    const { command, caret } = insertPlaceholder(text, from, element?.selectionEnd ?? from, name);
    setValue(source, command, { shouldDirty: true });
    setFocus(source);
    // The caret can be set once the input has the new text.
    requestAnimationFrame(() => element?.setSelectionRange(caret, caret));
  };

  return (
    <>
      {commands.map((command) => (
        <CommandInput
          key={command.source}
          {...command}
          {...shown}
          onFocus={(element) => {
            lastRef.current = { source: command.source, element };
          }}
        />
      ))}
      {!formState.disabled && (
        <Box role="group" aria-label={t("products.steps.placeholders")}>
          <Muted sx={{ mb: 0.75 }}>{t("products.steps.placeholders")}</Muted>
          <Box sx={{ display: "flex", flexWrap: "wrap", gap: 0.75 }}>
            {shown.placeholders.map((name) => (
              <Chip
                key={name}
                size="small"
                variant="outlined"
                label={`{${name}}`}
                // The input keeps its caret.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => insert(name)}
                sx={{ fontFamily: MONOSPACE, fontSize: 12 }}
              />
            ))}
          </Box>
        </Box>
      )}
    </>
  );
}

interface InputProps extends Command, Shown {
  onFocus: (element: HTMLInputElement) => void;
}

/** A command, with what would be sent below it. */
function CommandInput({ source, label, hint, required, length, onFocus, ...shown }: InputProps) {
  const { field, fieldState, id } = useInput<string | null>({ source });
  const text = (field.value as string | null) ?? "";
  return (
    <Box>
      <TextField
        id={id}
        fullWidth
        name={field.name}
        inputRef={field.ref}
        label={label}
        required={required === true}
        disabled={field.disabled === true}
        value={text}
        error={fieldState.invalid}
        helperText={fieldState.error?.message ?? hint}
        onBlur={field.onBlur}
        onFocus={({ target }) => onFocus(target as HTMLInputElement)}
        onChange={({ target }) =>
          field.onChange(target.value === "" && required !== true ? null : target.value)
        }
        slotProps={{
          htmlInput: {
            maxLength: length,
            spellCheck: false,
            autoComplete: "off",
            style: { fontFamily: MONOSPACE },
          },
        }}
      />
      {text.trim() !== "" && <CommandPreview template={text} {...shown} />}
    </Box>
  );
}
