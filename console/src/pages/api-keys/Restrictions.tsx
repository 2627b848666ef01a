import { Box, Button, Skeleton } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import { DateTimeInput, NumberInput, TextArrayInput } from "react-admin";
import { useFormContext } from "react-hook-form";
import { api, request, type Schemas } from "../../api/client";
import { ETAG } from "../../api/dataProvider";
import { moment, parseMoment } from "../../api/moment";
import { EditForm } from "../../components/form/EditForm";
import { Panel } from "../../components/Page";
import { TIME_ZONE, useText } from "../../i18n";
import { inDays } from "./attention";

interface Props {
  restrictions: Restrictions | undefined;
  mayChange: boolean;
}

/** When a key expires, from where it can be used, and how often. */
export function RestrictionsPanel({ restrictions, mayChange }: Props) {
  const t = useText();
  if (restrictions === undefined) {
    return <Skeleton variant="rounded" height={320} />;
  }
  const { id } = restrictions;
  return (
    <Panel title={t("apiKeys.create.restrictions")}>
      <EditForm<Restrictions>
        resource="api-keys"
        record={restrictions}
        fields={{
          expires_at: t("apiKeys.expiresAt"),
          allowed_ips: t("apiKeys.allowedIps"),
          requests_per_second: t("apiKeys.rate"),
        }}
        readOnly={!mayChange}
        read={() => readRestrictions(id)}
        save={(changes, ifMatch) =>
          request("PUT", `/api/api-keys/${id}/restrictions`, {
            body: restrictionChanges(changes),
            ifMatch,
          })
        }
      >
        <RestrictionInputs disabled={!mayChange} />
      </EditForm>
    </Panel>
  );
}

const DAYS = [30, 90, 365];

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
          parse={parseMoment}
          helperText={t("apiKeys.expiresHint", { zone: TIME_ZONE })}
          disabled={isDisabled}
          fullWidth
        />
        {!isDisabled && (
          <Box sx={{ display: "flex", flexWrap: "wrap", gap: 1, mt: 1 }}>
            {DAYS.map((days) => (
              <Button key={days} variant="outlined" onClick={() => expireIn(days)}>
                {t("common.days", { smart_count: days })}
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
        helperText={t("apiKeys.rateHint")}
        disabled={isDisabled}
      />
    </>
  );
}

type Changes = Schemas["ApiKeyRestrictionChanges"];

/** The restrictions among the values of a form. No network means: from anywhere. */
export function restrictionChanges(values: Record<string, unknown>): Changes {
  const { expires_at, allowed_ips, requests_per_second } = values as Changes;
  return {
    ...(expires_at !== undefined && { expires_at }),
    ...(allowed_ips !== undefined && {
      allowed_ips: allowed_ips === null || allowed_ips.length === 0 ? null : allowed_ips,
    }),
    ...(requests_per_second !== undefined && { requests_per_second }),
  };
}

/** The restrictions and the use of a key, as a record that can be edited. */
export type Restrictions = Schemas["ApiKeyRestrictions"] & { id: number; [ETAG]?: string };

async function readRestrictions(id: number): Promise<Restrictions> {
  const { data, response } = await api.GET("/api/api-keys/{id}/restrictions", {
    params: { path: { id } },
  });
  if (data === undefined) {
    throw new Error("the reply has no body");
  }
  // The part after the dot changes with every use of the key, which is no change of another person.
  const etag = response.headers.get("ETag")?.replace(/\.[^"]*"$/, '"');
  return { ...data.restrictions, id, ...(etag !== undefined && { [ETAG]: etag }) };
}

export function useRestrictions(id: number) {
  return useQuery({
    queryKey: ["api-keys", id, "restrictions"],
    queryFn: () => readRestrictions(id),
  });
}
