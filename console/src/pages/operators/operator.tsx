import { Stack } from "@mui/material";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, body, request, type Schemas } from "../../api/client";
import { ETAG } from "../../api/dataProvider";
import { ConfirmButton } from "../../components/ConfirmDialog";
import { Facts } from "../../components/Facts";
import { Panel } from "../../components/Page";
import { covers, type Permission, useCatalogue } from "../../components/permissions/permissions";
import { State, When } from "../../components/text";
import { useDone } from "../../components/useAct";
import { useText } from "../../i18n";

/** An operator as a record of a list: its id is that of the user. */
export type Operator = Schemas["Operator"] & { id: number; [ETAG]?: string };

/** The access that a user has to the console; null if they have none. */
export function useAccess(userId: number | null) {
  return useQuery({ ...accessOf(userId ?? 0), enabled: userId !== null });
}

/** The query of the access of a user, which is null for one who is no operator. */
export function accessOf(id: number) {
  return queryOptions({
    queryKey: ["operators", id, "access"],
    queryFn: async () => {
      const shown = { path: { id }, query: { include: "operator" } };
      const { user } = await body(api.GET("/api/users/{id}", { params: shown }));
      if (!user.operator) {
        return null;
      }
      const params = { path: { userId: id } };
      return (await body(api.GET("/api/operators/{userId}", { params }))).operator;
    },
  });
}

export function AccessState({ active }: { active: boolean }) {
  const t = useText();
  return (
    <State
      tone={active ? "good" : "neutral"}
      text={t(active ? "common.active" : "operators.inactive")}
    />
  );
}

export function TwoFactorState({ isOn }: { isOn: boolean }) {
  const t = useText();
  return (
    <State
      tone={isOn ? "good" : "warn"}
      text={t(isOn ? "operators.twoFactorOn" : "operators.twoFactorOff")}
    />
  );
}

/** How many permissions are held, together with those that they include. */
export function PermissionCount({ permissions }: { permissions: readonly Permission[] }) {
  const t = useText();
  const { data: catalogue } = useCatalogue();
  const count = catalogue?.filter(({ name }) => covers(permissions, name)).length;
  if (count === undefined) {
    return null;
  }
  if (count === 0) {
    return <State tone="neutral" text={t("permissions.nothing")} />;
  }
  return count === catalogue?.length ? (
    <State tone="accent" text={t("permissions.every")} />
  ) : (
    t("permissions.count", { smart_count: count })
  );
}

/** How an operator signs in, and help if they lost their second factor. */
export function SignInPanel({ operator, mayReset }: { operator: Operator; mayReset: boolean }) {
  const t = useText();
  const done = useDone();
  const reset = async () => {
    const path = `/api/operators/${operator.id}/reset-two-factor`;
    await request("POST", path, { ifMatch: operator[ETAG] });
    done(t("operators.resetDone"));
  };
  return (
    <Panel title={t("operators.security")}>
      <Stack sx={{ gap: 2, alignItems: "stretch" }}>
        <Facts
          facts={[
            {
              label: t("common.secondFactor"),
              value: <TwoFactorState isOn={operator.two_factor} />,
            },
            { label: t("operators.lastSignIn"), value: <When at={operator.last_sign_in_at} /> },
            { label: t("operators.since"), value: <When at={operator.created_at} /> },
          ]}
        />
        {mayReset && operator.two_factor && (
          <ConfirmButton
            text={t("operators.resetFactor")}
            button={{ color: "error", variant: "outlined" }}
            title={t("operators.resetTitle", { name: operator.username })}
            confirm={t("operators.resetConfirm")}
            danger
            onConfirm={reset}
          >
            {t("operators.resetText")}
          </ConfirmButton>
        )}
      </Stack>
    </Panel>
  );
}
