import { Alert, Box, FormHelperText, TextField } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import { useInput } from "react-admin";
import { useWatch } from "react-hook-form";
import { findByProfile } from "../../api/people";
import { isVanity, steamId } from "../../api/profiles";
import { Muted } from "../../components/text";
import { ToggleButtons } from "../../components/ToggleButtons";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { UserInput } from "../payments/UserInput";
import { useSteamOf } from "./player";
import { type Way, WAYS } from "./start";

/** Who is banned: a SteamID or a user, an address or a range of them, or both. */
export function SubjectInput() {
  const t = useText();
  const { field } = useInput<Way>({ source: "way" });
  const way = field.value as Way;
  // The service reports a ban of nobody here, also where a user is to be chosen.
  const { fieldState } = useInput<string>({ source: "steam_id64" });
  return (
    <>
      <Box>
        <Muted sx={{ mb: 0.75 }} id="way">
          {t("bans.form.who")}
        </Muted>
        <ToggleButtons
          wraps
          aria-labelledby="way"
          value={way}
          options={WAYS}
          text={(one) => t(`bans.form.ways.${one}`)}
          onChange={field.onChange}
        />
      </Box>
      {way === "steam" && <SteamInput />}
      {way === "user" && (
        <Box>
          <UserInput source="user_id" hint={t("bans.form.userHint")} />
          {fieldState.invalid && (
            <FormHelperText error>{t("bans.form.userOrAddress")}</FormHelperText>
          )}
          <WithoutSteam />
        </Box>
      )}
      <AddressInput />
    </>
  );
}

/** Says so if game servers cannot recognise the chosen user. */
function WithoutSteam() {
  const t = useText();
  const mayFindUsers = useCan("admin.users.read");
  const userId = useWatch<Record<string, unknown>>({ name: "user_id" });
  const steam = useSteamOf(typeof userId === "number" ? userId : null);
  if (typeof userId !== "number" || !mayFindUsers || steam !== null) {
    return null;
  }
  return (
    <Alert severity="warning" role="status" sx={{ mt: 1 }}>
      {t("bans.form.withoutSteam")}
    </Alert>
  );
}

/** A SteamID in any spelling. Says which one it is, and whose. */
function SteamInput() {
  const t = useText();
  const mayFindUsers = useCan("admin.users.read");
  const { field, fieldState, id } = useInput<string>({ source: "steam_id64" });
  const typed = typeof field.value === "string" ? field.value.trim() : "";
  const steam = steamId(typed);
  const { data: users = [] } = useQuery({
    queryKey: ["users", "steam", steam],
    queryFn: () => findByProfile(steam ?? ""),
    enabled: mayFindUsers && steam !== null,
    retry: false,
  });
  const found = [
    steam === null || steam === typed ? "" : `SteamID64: ${steam}.`,
    users.length === 0
      ? ""
      : t("bans.form.linkedTo", { name: users.map(({ username }) => username).join(", ") }),
  ].filter(Boolean);
  const hint = t(isVanity(typed) ? "bans.form.vanity" : "bans.form.steamHint");
  const refusal = isVanity(typed) ? hint : fieldState.error?.message;
  const fault = typed === "" ? t("bans.form.steamOrAddress") : refusal;
  return (
    <TextField
      id={id}
      name={field.name}
      inputRef={field.ref}
      label={t("bans.form.ways.steam")}
      value={field.value ?? ""}
      error={fieldState.invalid}
      helperText={(fieldState.invalid ? fault : null) ?? (found.join(" ") || hint)}
      onBlur={field.onBlur}
      onChange={({ target }) => field.onChange(target.value)}
      slotProps={{ htmlInput: { autoComplete: "off", spellCheck: false, maxLength: 200 } }}
    />
  );
}

function AddressInput() {
  const t = useText();
  const { field, fieldState, id } = useInput<string>({ source: "ip_range" });
  return (
    <TextField
      id={id}
      name={field.name}
      inputRef={field.ref}
      label={t("bans.form.ways.ip")}
      placeholder="203.0.113.0/24"
      value={field.value ?? ""}
      error={fieldState.invalid}
      helperText={fieldState.error?.message ?? t("bans.form.ipHint")}
      onBlur={field.onBlur}
      onChange={({ target }) => field.onChange(target.value)}
      slotProps={{ htmlInput: { autoComplete: "off", spellCheck: false, maxLength: 64 } }}
    />
  );
}
