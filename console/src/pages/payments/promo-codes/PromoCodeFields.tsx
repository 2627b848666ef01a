import { Box, Typography } from "@mui/material";
import type { ReactNode } from "react";
import {
  AutocompleteArrayInput,
  BooleanInput,
  DateTimeInput,
  NumberInput,
  RadioButtonGroupInput,
  ReferenceArrayInput,
  TextInput,
} from "react-admin";
import { useWatch } from "react-hook-form";
import { parseMoment } from "../../../api/moment";
import { TIME_ZONE, useText } from "../../../i18n";
import { useCan } from "../../../session/session";
import { AmountInput } from "../AmountInput";

/** The fields of a promo code, by the names that the service has for them. */
export function usePromoCodeLabels() {
  const t = useText();
  return {
    code: t("payments.promoCodes.code"),
    type: t("payments.promoCodes.type"),
    value: t("payments.promoCodes.value"),
    minimum_amount: t("payments.promoCodes.minimum"),
    max_usages: t("payments.promoCodes.most"),
    max_uses_per_user: t("payments.promoCodes.mostPerUser"),
    starts_at: t("payments.promoCodes.from"),
    expires_at: t("payments.promoCodes.to"),
    role_ids: t("payments.promoCodes.roles"),
    active: t("common.active"),
  };
}

export function PromoCodeFields() {
  const t = useText();
  const labels = usePromoCodeLabels();
  const type = useWatch({ name: "type" }) as string | undefined;
  return (
    <>
      <TextInput
        source="code"
        label={labels.code}
        helperText={t("payments.promoCodes.codeHint")}
        slotProps={{ htmlInput: { maxLength: 50, spellCheck: false } }}
        required
      />
      <RadioButtonGroupInput
        source="type"
        label={labels.type}
        choices={[
          { id: "percentage", name: t("payments.promoCodes.types.percentage") },
          { id: "amount", name: t("payments.promoCodes.types.amount") },
        ]}
        translateChoice={false}
        helperText={false}
      />
      <Pair>
        <AmountInput
          source="value"
          label={labels.value}
          required
          {...(type === "percentage"
            ? { unit: "%", hint: t("payments.promoCodes.percentageHint") }
            : { hint: t("payments.promoCodes.amountHint") })}
        />
        <AmountInput
          source="minimum_amount"
          label={labels.minimum_amount}
          hint={t("payments.promoCodes.minimumHint")}
        />
      </Pair>
      <Typography variant="h3" component="h2" sx={{ mt: 1 }}>
        {t("payments.promoCodes.limits")}
      </Typography>
      <Pair>
        <NumberInput
          source="max_usages"
          label={labels.max_usages}
          helperText={t("payments.promoCodes.noLimit")}
        />
        <NumberInput
          source="max_uses_per_user"
          label={labels.max_uses_per_user}
          helperText={t("payments.promoCodes.noLimit")}
        />
      </Pair>
      <Pair>
        <DateTimeInput
          source="starts_at"
          label={labels.starts_at}
          helperText={t("payments.promoCodes.zone", { zone: TIME_ZONE })}
          parse={parseMoment}
        />
        <DateTimeInput
          source="expires_at"
          label={labels.expires_at}
          helperText={t("payments.promoCodes.zone", { zone: TIME_ZONE })}
          parse={parseMoment}
        />
      </Pair>
      <RolesInput source="role_ids" label={labels.role_ids} />
      <BooleanInput
        source="active"
        label={labels.active}
        helperText={t("payments.promoCodes.activeHint")}
      />
    </>
  );
}

/** Two inputs beside each other, where there is room. */
function Pair({ children }: { children: ReactNode }) {
  return (
    <Box
      sx={{
        display: "grid",
        gap: 2,
        alignItems: "start",
        gridTemplateColumns: "repeat(auto-fit, minmax(220px, 1fr))",
      }}
    >
      {children}
    </Box>
  );
}

/** The roles whose holders may use a code. Those who may not read roles leave them as they are. */
function RolesInput({ source, label }: { source: string; label: string }) {
  const t = useText();
  const canRead = useCan("admin.roles.read");
  if (!canRead) {
    return null;
  }
  return (
    <ReferenceArrayInput
      source={source}
      reference="roles"
      perPage={100}
      queryOptions={{ meta: { of: "list" } }}
    >
      <AutocompleteArrayInput
        label={label}
        optionText="name"
        filterToQuery={() => ({})}
        helperText={t("payments.promoCodes.rolesHint")}
      />
    </ReferenceArrayInput>
  );
}
