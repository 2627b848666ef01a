import { Box } from "@mui/material";
import { useState } from "react";
import { BooleanInput, useInput } from "react-admin";
import { useWatch } from "react-hook-form";
import { useSearchParams } from "react-router";
import type { Values } from "../../components/form/conflict";
import { CreatePage } from "../../components/form/CreateForm";
import { Muted } from "../../components/text";
import { ToggleButtons } from "../../components/ToggleButtons";
import { useText } from "../../i18n";
import { ActiveBans } from "./ActiveBans";
import { type BanKind, KINDS } from "./ban";
import { DetailFields, TermFields, useBanLabels, useBanReasons } from "./BanFields";
import { canKick, isAddressAlone, newBan, startOf } from "./start";
import { SubjectInput } from "./SubjectInput";

export function BanCreate() {
  const labels = useBanLabels();
  const [search] = useSearchParams();
  const [, remember] = useBanReasons();
  const [start] = useState(() => startOf(search));
  return (
    <CreatePage
      resource="bans"
      fields={[...Object.keys(labels), "steam_id64", "ip_range", "user_id", "kind", "kick"]}
      defaults={start}
      toBody={(values: Values) => {
        remember(values["reason"]);
        return newBan(values);
      }}
    >
      <SubjectInput />
      <ActiveBans />
      <KindInput />
      <Term />
      <KickInput />
      <DetailFields />
    </CreatePage>
  );
}

/** The fields that say who is banned. */
const SUBJECT = ["kind", "way", "steam_id64", "ip_range", "user_id"] as const;

function useSubject(): Values {
  const values = useWatch({ name: SUBJECT }) as unknown[];
  return Object.fromEntries(SUBJECT.map((name, index) => [name, values[index]]));
}

function Term() {
  return <TermFields start="new" mustEnd={isAddressAlone(useSubject())} />;
}

/** What is taken from the player. */
function KindInput() {
  const t = useText();
  const { field } = useInput<BanKind>({ source: "kind" });
  const kind = field.value as BanKind;
  return (
    <Box>
      <Muted sx={{ mb: 0.75 }} id="kind">
        {t("bans.kind")}
      </Muted>
      <ToggleButtons
        wraps
        aria-labelledby="kind"
        aria-describedby="kind-hint"
        value={kind}
        options={KINDS}
        text={(one) => t(`bans.kinds.${one}`)}
        onChange={field.onChange}
      />
      <Muted sx={{ mt: 0.75 }} id="kind-hint">
        {t(`bans.kindHints.${kind}`)}
      </Muted>
    </Box>
  );
}

function KickInput() {
  const t = useText();
  return canKick(useSubject()) ? (
    <BooleanInput source="kick" label={t("bans.form.kick")} helperText={t("bans.form.kickHint")} />
  ) : null;
}
