import { BooleanInput } from "react-admin";
import { useWatch } from "react-hook-form";
import { useText } from "../../../i18n";
import { PLACEHOLDERS } from "./command";
import { CommandInputs } from "./CommandInputs";
import type { Step } from "./product";
import { ServersInput } from "./ServersInput";

const LONGEST = 500;

/** A step that runs a command on the consoles of servers. */
export function CommandStep({ source }: { source: string }) {
  const t = useText();
  const servers = useWatch({ name: `${source}.server_ids` }) as number[] | undefined;
  const steps = (useWatch({ name: "steps" }) ?? []) as Step[];
  const role = steps.find((step) => step.kind === "role");
  return (
    <>
      <ServersInput source={`${source}.server_ids`} />
      <CommandInputs
        commands={[
          { source: `${source}.command`, label: t("products.steps.command"), required: true },
          {
            source: `${source}.undo_command`,
            label: t("products.steps.undo"),
            hint: t("products.steps.undoHint"),
          },
        ]}
        placeholders={PLACEHOLDERS}
        length={LONGEST}
        serverId={servers?.[0] ?? 0}
        seconds={role?.seconds ?? 0}
      />
      <BooleanInput
        source={`${source}.repeatable`}
        label={t("products.steps.repeatable")}
        helperText={t("products.steps.repeatableHint")}
      />
    </>
  );
}
