import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { DateTimeInput, NumberInput, TextArrayInput } from "react-admin";
import { useFormContext } from "react-hook-form";
import { useText } from "../../i18n";
import { TIME_ZONE } from "../../i18n/format";
import { inDays } from "./attention";

const DAYS = [30, 90, 365];

/** A moment as the service writes it: in UTC, without fractions of a second. */
function moment(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, "Z");
}

/** The inputs of the restrictions of a key: expiry, networks and rate limit. */
export function RestrictionInputs({ disabled }: { disabled?: boolean }) {
  const t = useText();
  const { setValue } = useFormContext();
  const isDisabled = disabled === true;
  const expireIn = (days: number) => {
    setValue("expires_at", moment(inDays(days)), { shouldDirty: true });
  };
  return (
    <>
      <Box>
        <DateTimeInput
          source="expires_at"
          label={t("apiKeys.expiresAt")}
          parse={(text: string) => (text === "" ? null : moment(new Date(text)))}
          helperText={t("apiKeys.expiresHint", { zone: TIME_ZONE })}
          disabled={isDisabled}
          fullWidth
        />
        {!isDisabled && (
          <Box sx={{ display: "flex", flexWrap: "wrap", gap: 1, mt: 1 }}>
            {DAYS.map((days) => (
              <Button key={days} variant="outlined" onClick={() => expireIn(days)}>
                {t("apiKeys.expiresIn", { smart_count: days })}
              </Button>
            ))}
          </Box>
        )}
      </Box>
      <TextArrayInput
        source="allowed_ips"
        label={t("apiKeys.allowedIps")}
        helperText={t("apiKeys.allowedIpsHint")}
        disabled={isDisabled}
        // What was typed but not ended with Enter counts as well.
        autoSelect
      />
      <NumberInput
        source="requests_per_second"
        label={t("apiKeys.rate")}
        min={1}
        max={10_000}
        step={1}
        helperText={t("apiKeys.rateHint")}
        disabled={isDisabled}
      />
    </>
  );
}
