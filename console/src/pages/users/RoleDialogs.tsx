import { useQuery } from "@tanstack/react-query";
import { NumberInput, required, SelectInput } from "react-admin";
import { api } from "../../api/client";
import type { Values } from "../../components/form/conflict";
import { FormDialog } from "../../components/form/FormDialog";
import { useDone } from "../../components/useAct";
import { useRoles } from "../../components/useRoles";
import { useText } from "../../i18n";
import { EndInput } from "./EndInput";
import {
  afterDays,
  DAY_SECONDS,
  type HeldRole,
  LENGTHS,
  putRole,
  readRoles,
  rolesKey,
} from "./heldRoles";
import { ifMatch, type User } from "./user";

/** A role without an end has to be chosen. */
const USUAL = 30;

function RoleEnd({ start }: { start: (typeof LENGTHS)[number] | "other" }) {
  const t = useText();
  return (
    <EndInput
      source="expires_at"
      label={t("users.roles.until")}
      lengths={LENGTHS}
      start={start}
      after={afterDays}
      text={(days) => t("common.days", { smart_count: days })}
    />
  );
}

function endOf(values: Values): string | null {
  return (values["expires_at"] as string | null | undefined) ?? null;
}

/** Gives the user a role that they do not hold yet. */
export function GiveRole({ user, onClose }: { user: User; onClose: () => void }) {
  const t = useText();
  const done = useDone();
  const roles = useRoles();
  const { data: held } = useQuery({ queryKey: rolesKey(user), queryFn: () => readRoles(user) });
  const offered = roles.filter(({ id }) => held?.some((role) => role.id === id) !== true);
  return (
    <FormDialog
      title={t("users.roles.giveTitle", { name: user.username })}
      fields={["role_id", "expires_at"]}
      defaults={{ role_id: null, expires_at: afterDays(USUAL, new Date()) }}
      submit={t("users.roles.give")}
      save={async (values) => {
        const path = { userId: user.id, roleId: values["role_id"] as number };
        await putRole(path, endOf(values), ifMatch(user));
        const role = roles.find(({ id }) => id === path.roleId)?.name;
        done(t("users.roles.given", { name: user.username, role }), () =>
          api.DELETE("/api/users/{userId}/roles/{roleId}", { params: { path } }),
        );
      }}
      onClose={onClose}
    >
      <SelectInput
        source="role_id"
        label={t("users.fields.role")}
        choices={offered}
        optionText="name"
        translateChoice={false}
        validate={required()}
        helperText={false}
      />
      <RoleEnd start={USUAL} />
    </FormDialog>
  );
}

interface ExtendProps {
  role: HeldRole;
  extend: (seconds: number) => Promise<void>;
  onClose: () => void;
}

const MOST_DAYS = 3650;

/** Adds any number of days to the end of a role. */
export function ExtendRole({ role, extend, onClose }: ExtendProps) {
  const t = useText();
  const hint = t("users.roles.daysHint");
  return (
    <FormDialog
      title={t("users.roles.extendTitle", { role: role.name })}
      fields={["seconds"]}
      defaults={{ seconds: USUAL * DAY_SECONDS }}
      submit={t("users.roles.extend")}
      save={(values) => extend(values["seconds"] as number)}
      onClose={onClose}
    >
      <NumberInput
        source="seconds"
        label={t("users.roles.days")}
        autoFocus
        format={(seconds: number | null) => (seconds === null ? "" : seconds / DAY_SECONDS)}
        parse={(days: number | null) => (days === null ? null : days * DAY_SECONDS)}
        // The service would name its limits in seconds.
        validate={(seconds: number | null) =>
          seconds !== null && seconds >= DAY_SECONDS && seconds <= MOST_DAYS * DAY_SECONDS
            ? undefined
            : hint
        }
        helperText={hint}
      />
    </FormDialog>
  );
}

interface ChangeProps {
  role: HeldRole;
  save: (expiresAt: string | null) => Promise<void>;
  onClose: () => void;
}

/** Sets another end of a role, earlier or later, or takes it away. */
export function ChangeEnd({ role, save, onClose }: ChangeProps) {
  const t = useText();
  return (
    <FormDialog
      title={t("users.roles.changeTitle", { role: role.name })}
      fields={["expires_at"]}
      defaults={{ expires_at: role.expires_at ?? afterDays(USUAL, new Date()) }}
      submit={t("common.save")}
      save={(values) => save(endOf(values))}
      onClose={onClose}
    >
      <RoleEnd start={role.expires_at === null ? USUAL : "other"} />
    </FormDialog>
  );
}
