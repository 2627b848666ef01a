import { Box, Button } from "@mui/material";
import { useState } from "react";
import { api, body } from "../../api/client";
import { ActionMenu } from "../../components/IconAction";
import { RoleChip } from "../../components/RoleChip";
import { Muted, When } from "../../components/text";
import { useAct, useDone } from "../../components/useAct";
import { useFormat, useText } from "../../i18n";
import { useCan } from "../../session/session";
import { Entries } from "./Entries";
import { ChangeEnd, ExtendRole, GiveRole } from "./RoleDialogs";
import { DAY_SECONDS, type HeldRole, LENGTHS, putRole, readRoles, rolesKey } from "./heldRoles";
import { ifMatch, type User } from "./user";

/** The roles of the user, with the time until which they are held. */
export function RolesPanel({ user }: { user: User }) {
  const t = useText();
  const mayWrite = useCan("admin.users");
  const mayReadRoles = useCan("admin.roles.read");
  const [isGiving, setGiving] = useState(false);
  return (
    <>
      <Entries
        title={t("common.resources.roles")}
        hint={t("users.roles.hint")}
        actions={
          mayWrite &&
          mayReadRoles && <Button onClick={() => setGiving(true)}>{t("users.roles.give")}</Button>
        }
        queryKey={rolesKey(user)}
        read={() => readRoles(user)}
        // Few users have more, and a hidden role is easily overlooked.
        first={20}
        empty={t("users.roles.none")}
        entry={(role) => (
          <Box sx={{ display: "flex", alignItems: "center", gap: 1 }}>
            <Box
              sx={{
                flexGrow: 1,
                minWidth: 0,
                display: "flex",
                flexWrap: "wrap",
                alignItems: "center",
                columnGap: 1.5,
                rowGap: 0.5,
              }}
            >
              <RoleChip role={role} />
              <Muted>
                {t("users.roles.since")} <When at={role.granted_at} />
              </Muted>
            </Box>
            {mayWrite && <RoleMenu user={user} role={role} />}
          </Box>
        )}
      />
      {isGiving && <GiveRole user={user} onClose={() => setGiving(false)} />}
    </>
  );
}

/** What can be done with a role that the user holds. All of it can be undone. */
function RoleMenu({ user, role }: { user: User; role: HeldRole }) {
  const t = useText();
  const format = useFormat();
  const done = useDone();
  const [isBusy, act] = useAct();
  const [dialog, setDialog] = useState<"extend" | "change" | null>(null);
  const path = { userId: user.id, roleId: role.id };
  const params = { path, header: ifMatch(user) };
  const restore = () => putRole(path, role.expires_at);
  const close = () => setDialog(null);

  const extend = async (seconds: number) => {
    const request = { params, body: { seconds } };
    const { user_role } = await body(
      api.POST("/api/users/{userId}/roles/{roleId}/extend", request),
    );
    const end = user_role.expires_at;
    done(
      end === null
        ? t("users.roles.endless", { role: role.name })
        : t("users.roles.extended", { role: role.name, at: format.moment(end) }),
      restore,
    );
  };

  const remove = async () => {
    await api.DELETE("/api/users/{userId}/roles/{roleId}", { params });
    done(t("users.roles.removed", { role: role.name }), restore);
  };

  return (
    <ActionMenu
      name={role.name}
      actions={[
        // A role without an end cannot be extended.
        ...(role.expires_at === null
          ? []
          : [
              ...LENGTHS.map((days) => ({
                text: t("users.roles.extendBy", { smart_count: days }),
                disabled: isBusy,
                run: () => act(() => extend(days * DAY_SECONDS)),
              })),
              { text: t("users.roles.extendOther"), divider: true, run: () => setDialog("extend") },
            ]),
        { text: t("users.roles.change"), run: () => setDialog("change") },
        { text: t("common.remove"), danger: true, disabled: isBusy, run: () => act(remove) },
      ]}
    >
      {dialog === "extend" && <ExtendRole role={role} extend={extend} onClose={close} />}
      {dialog === "change" && (
        <ChangeEnd
          role={role}
          save={async (expires_at) => {
            await putRole(path, expires_at, ifMatch(user));
            done(t("common.saved"), restore);
          }}
          onClose={close}
        />
      )}
    </ActionMenu>
  );
}
