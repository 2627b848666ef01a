import { Box, FormHelperText, TextField } from "@mui/material";
import { useState } from "react";
import { NumberInput, SelectInput, useInput } from "react-admin";
import { ToggleButtons } from "../../../components/ToggleButtons";
import { Muted } from "../../../components/text";
import { useRoles } from "../../../components/useRoles";
import { useText } from "../../../i18n";
import { useCan } from "../../../session/session";
import { NothingYet } from "../NothingYet";
import { SECONDS_A_DAY } from "./product";

/** A step that gives a role for a while or for ever. */
export function RoleStep({ source }: { source: string }) {
  const t = useText();
  const mayRead = useCan("admin.roles.read");
  const roles = useRoles();
  const common = { source: `${source}.role_id`, label: t("products.steps.role") };
  return (
    <>
      {mayRead ? (
        <>
          <SelectInput
            {...common}
            choices={roles}
            optionText="name"
            translateChoice={false}
            helperText={false}
            isRequired
          />
          {roles.length === 0 && <NothingYet of="roles" />}
        </>
      ) : (
        <NumberInput {...common} helperText={false} required />
      )}
      <TermInput source={`${source}.seconds`} />
    </>
  );
}

const TERMS = ["7", "30", "90", "ever", "own"] as const;
type Term = (typeof TERMS)[number];

function termOf(seconds: number | null): Term {
  const days = seconds === null ? "ever" : String(seconds / SECONDS_A_DAY);
  return TERMS.find((term) => term === days) ?? "own";
}

/** How long: one of the usual terms, or a number of days. The form holds seconds, null for ever. */
function TermInput({ source }: { source: string }) {
  const t = useText();
  const { field, fieldState } = useInput<number | null>({ source });
  const seconds = field.value as number | null | "";
  const value = seconds === "" ? null : seconds;
  const [isOwn, setOwn] = useState(termOf(value) === "own");
  const choose = (term: Term) => {
    setOwn(term === "own");
    if (term !== "own") {
      field.onChange(term === "ever" ? null : Number(term) * SECONDS_A_DAY);
    } else if (value === null) {
      field.onChange(30 * SECONDS_A_DAY);
    }
  };
  return (
    <Box>
      <Muted sx={{ mb: 0.75 }} id={`${source}-term`}>
        {t("products.steps.term")}
      </Muted>
      <ToggleButtons
        aria-labelledby={`${source}-term`}
        value={isOwn ? "own" : termOf(value)}
        options={TERMS}
        text={(term) => t(`products.steps.terms.${term}`)}
        onChange={choose}
        disabled={field.disabled === true}
        sx={{ flexWrap: "wrap" }}
      />
      {isOwn && (
        <TextField
          type="number"
          label={t("products.steps.ownDays")}
          value={value === null ? "" : value / SECONDS_A_DAY}
          disabled={field.disabled === true}
          onBlur={field.onBlur}
          onChange={({ target }) =>
            field.onChange(Math.round(Number(target.value) * SECONDS_A_DAY))
          }
          sx={{ display: "block", mt: 1.5, maxWidth: 200 }}
          slotProps={{ htmlInput: { min: 0, step: "any" } }}
        />
      )}
      <FormHelperText error={fieldState.invalid}>
        {fieldState.error?.message ?? t("products.steps.termHint")}
      </FormHelperText>
    </Box>
  );
}
