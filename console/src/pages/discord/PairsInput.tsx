import Add from "@mui/icons-material/Add";
import ArrowForward from "@mui/icons-material/ArrowForward";
import DeleteOutlined from "@mui/icons-material/DeleteOutlined";
import { Autocomplete, Box, Button, InputAdornment, TextField, Typography } from "@mui/material";
import { useInput } from "react-admin";
import { useFieldArray, useFormContext, useWatch } from "react-hook-form";
import { IconAction } from "../../components/IconAction";
import { ColourDot } from "../../components/RoleChip";
import { Muted } from "../../components/text";
import { useRoles } from "../../components/useRoles";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { useTokens } from "../../theme/theme";
import { hasLost, isTaken, type PairDraft, problemOf, type RoleProblem } from "./findings";
import { useKnownRoles, useServerRoleName } from "./roles";

/** Discord allows as many roles on a server. */
const MOST = 250;

/** The pairs of the form: a role here, and the one at Discord that follows it. */
export function PairsInput() {
  const t = useText();
  const mayReadRoles = useCan("admin.roles.read");
  const { control, formState } = useFormContext<{ mappings: PairDraft[] }>();
  const { fields, append, remove } = useFieldArray({ control, name: "mappings" });
  const pairs = useWatch({ control, name: "mappings" });
  const stored = (formState.defaultValues?.mappings ?? []) as PairDraft[];
  const isLost = hasLost(stored, pairs);
  const isReadOnly = formState.disabled;
  return (
    <Box role="group" aria-label={t("discord.pairs.field")}>
      {fields.length === 0 && <Muted>{t("discord.pairs.none")}</Muted>}
      {!mayReadRoles && !isReadOnly && (
        <Muted sx={{ mb: 2 }}>{t("discord.pairs.mayNotRead")}</Muted>
      )}
      <Box
        component="ol"
        sx={{ display: "grid", gap: { xs: 3, sm: 2 }, m: 0, p: 0, listStyle: "none" }}
      >
        {fields.map(({ id }, index) => (
          <li key={id}>
            <PairRow index={index} isReadOnly={isReadOnly} onRemove={() => remove(index)} />
          </li>
        ))}
      </Box>
      {!isReadOnly && (
        <Box sx={{ mt: 2 }}>
          {fields.length < MOST && mayReadRoles && (
            <Button
              variant="outlined"
              startIcon={<Add />}
              onClick={() =>
                append({ role_id: null, discord_role_id: null }, { shouldFocus: false })
              }
            >
              {t("discord.pairs.add")}
            </Button>
          )}
          {isLost && <Muted sx={{ mt: 1 }}>{t("discord.pairs.removed")}</Muted>}
        </Box>
      )}
    </Box>
  );
}

interface RowProps {
  index: number;
  isReadOnly: boolean;
  onRemove: () => void;
}

function PairRow({ index, isReadOnly, onRemove }: RowProps) {
  const t = useText();
  const tokens = useTokens();
  const nameOf = useServerRoleName();
  const pairs = useWatch<{ mappings: PairDraft[] }, "mappings">({ name: "mappings" });
  const roles = useRoles();
  const { roles: known } = useKnownRoles();
  const pair = pairs[index] ?? { role_id: null, discord_role_id: null };
  const problem = problemOf(known, pair.discord_role_id);
  const number = index + 1;
  return (
    <Box role="group" aria-label={t("discord.pairs.number", { number })}>
      <Box
        sx={{
          display: "grid",
          columnGap: 1,
          rowGap: 1.5,
          alignItems: "start",
          gridTemplateColumns: {
            xs: "minmax(0, 1fr) auto",
            sm: "minmax(0, 1fr) auto minmax(0, 1fr) auto",
          },
        }}
      >
        <RoleChoice<number>
          source={`mappings.${index}.role_id`}
          label={t("discord.pairs.here")}
          choices={roles.map(({ id, name, color }) => ({ id, name, colour: color }))}
          unknown={(id) => `#${id}`}
          isTaken={(role_id) => isTaken(pairs, index, { ...pair, role_id })}
        />
        <ArrowForward
          aria-hidden
          fontSize="small"
          sx={{ color: "text.secondary", mt: 1.25, display: { xs: "none", sm: "block" } }}
        />
        <Box sx={{ gridRow: { xs: 2, sm: "auto" } }}>
          <RoleChoice<string>
            source={`mappings.${index}.discord_role_id`}
            label={t("discord.pairs.there")}
            choices={(known ?? []).map(({ id, name, color }) => ({
              id,
              name,
              colour: color ?? undefined,
              problem: problemOf(known, id),
            }))}
            unknown={nameOf}
            isTaken={(discord_role_id) => isTaken(pairs, index, { ...pair, discord_role_id })}
          />
        </Box>
        {!isReadOnly && (
          <IconAction
            icon={DeleteOutlined}
            tip={t("discord.pairs.remove", { number })}
            onClick={onRemove}
          />
        )}
      </Box>
      {problem !== null && pair.discord_role_id !== null && (
        <Typography variant="body2" sx={{ mt: 0.5, color: tokens.warn, overflowWrap: "anywhere" }}>
          {t(`discord.roleProblems.${problem}`, { role: nameOf(pair.discord_role_id) })}
        </Typography>
      )}
    </Box>
  );
}

interface Choice<Id> {
  id: Id;
  name: string;
  colour: string | undefined;
  problem?: RoleProblem | null;
}

interface ChoiceProps<Id> {
  source: string;
  label: string;
  choices: Choice<Id>[];
  /** The name of a role that is not among the choices. */
  unknown: (id: Id) => string;
  /** Whether another pair has this role with the same other one. */
  isTaken: (id: Id) => boolean;
}

/** A role, chosen by its name and colour. */
function RoleChoice<Id extends number | string>(props: ChoiceProps<Id>) {
  const { source, label, choices, unknown, isTaken } = props;
  const t = useText();
  const { field, fieldState } = useInput<Id | null>({ source });
  const id = (field.value === "" ? null : field.value) as Id | null;
  const chosen =
    id === null
      ? null
      : (choices.find((choice) => choice.id === id) ?? {
          id,
          name: unknown(id),
          colour: undefined,
        });
  return (
    <Autocomplete<Choice<Id>>
      fullWidth
      filterSelectedOptions
      options={choices.filter((choice) => choice.id === id || !isTaken(choice.id))}
      value={chosen}
      disabled={field.disabled === true}
      getOptionLabel={({ name }) => name}
      getOptionKey={(choice) => choice.id}
      isOptionEqualToValue={(a, b) => a.id === b.id}
      getOptionDisabled={({ problem }) => isHopeless(problem)}
      noOptionsText={t("discord.pairs.noMore")}
      onChange={(_, choice) => field.onChange(choice?.id ?? null)}
      onBlur={field.onBlur}
      renderOption={({ key, ...item }, { name, colour, problem }) => (
        <li key={key} {...item}>
          <ColourDot colour={colour} />
          <Box sx={{ ml: 1.25, minWidth: 0, overflowWrap: "anywhere" }}>
            <Typography variant="body2" sx={{ fontWeight: 550 }}>
              {name}
            </Typography>
            {problem != null && (
              <Typography variant="caption" color="textSecondary">
                {t(`discord.roleNotes.${problem}`)}
              </Typography>
            )}
          </Box>
        </li>
      )}
      renderInput={(input) => (
        <TextField
          {...input}
          label={label}
          inputRef={field.ref}
          error={fieldState.invalid}
          helperText={fieldState.error?.message}
          slotProps={{
            ...input.slotProps,
            input: {
              ...input.slotProps.input,
              startAdornment: chosen !== null && (
                <InputAdornment position="start" sx={{ ml: 0.75, mr: 0 }}>
                  <ColourDot colour={chosen.colour} />
                </InputAdornment>
              ),
            },
          }}
        />
      )}
    />
  );
}

/** What nobody can set right at Discord. A role above that of the bot can be moved. */
function isHopeless(problem: RoleProblem | null | undefined): boolean {
  return problem === "role_managed" || problem === "role_is_everyone";
}
