import { Alert, Stack, TextField } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import { useInput } from "react-admin";
import { CopyField } from "../../components/CopyField";
import { useDelayed } from "../../components/useDelayed";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { addressOf, isAddress, networksLine, resolve } from "./address";
import type { Server } from "./live";

const DELAY_MS = 500;

/** The input `address` of a server, as players paste it: a name or an IP address, and the port. */
export function AddressInput({ stored }: { stored?: string | undefined }) {
  const t = useText();
  const mayWrite = useCan("admin.servers");
  const { field, fieldState, id } = useInput<string>({ source: "address" });
  const typed = typeof field.value === "string" ? field.value.trim() : "";
  const address = useDelayed(typed, DELAY_MS);
  const { data } = useQuery({
    queryKey: ["servers", "resolve", address],
    queryFn: () => resolve(address),
    enabled: mayWrite && address !== stored && isAddress(address),
    retry: false,
  });
  const isCurrent = data !== undefined && address === typed;
  const isName = isCurrent && !typed.includes(data.ip);
  const lacksPort = isCurrent && data.port === null;
  const hint = isName
    ? t("servers.form.resolved", { ip: data.ip })
    : t(lacksPort ? "servers.form.noPort" : "servers.form.address");
  return (
    <>
      <TextField
        id={id}
        name={field.name}
        inputRef={field.ref}
        disabled={field.disabled ?? false}
        required
        label={t("servers.fields.address")}
        placeholder="play.example.org:27015"
        value={field.value ?? ""}
        error={fieldState.invalid}
        // Of an address without a port, the service says that something is missing.
        helperText={lacksPort ? t("servers.form.noPort") : (fieldState.error?.message ?? hint)}
        onBlur={field.onBlur}
        onChange={({ target }) => field.onChange(target.value)}
        slotProps={{ htmlInput: { autoComplete: "off", spellCheck: false } }}
      />
      {isCurrent && !data.allowed && <Refusal networks={data.server_networks} />}
    </>
  );
}

/** The same for a stored server, whose address is asked about first. */
export function StoredRefusal({ server }: { server: Server }) {
  const address = addressOf(server);
  const mayWrite = useCan("admin.servers");
  const { data } = useQuery({
    queryKey: ["servers", "resolve", address],
    queryFn: () => resolve(address),
    enabled: mayWrite,
    retry: false,
  });
  return <Refusal networks={data?.server_networks} />;
}

/** Says that the service may not contact an address, and what the configuration needs for it. */
function Refusal({ networks }: { networks: string[] | undefined }) {
  const t = useText();
  return (
    <Alert severity="warning" sx={{ "& .MuiAlert-message": { flexGrow: 1, minWidth: 0 } }}>
      {t("servers.reason.forbidden")}
      {networks !== undefined && (
        <Stack sx={{ gap: 1, mt: 0.5 }}>
          {t("servers.form.allow")}
          <CopyField label="steward.toml" value={networksLine(networks)} />
        </Stack>
      )}
    </Alert>
  );
}
