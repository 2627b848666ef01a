import Box from "@mui/material/Box";
import Stack from "@mui/material/Stack";
import { OneRecord } from "../../components/OneRecord";
import { Page } from "../../components/Page";
import { When } from "../../components/When";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { ActivityPanel } from "./ActivityPanel";
import { BlockButton } from "./BlockButton";
import { BlocksPanel } from "./BlocksPanel";
import { DevicesPanel } from "./DevicesPanel";
import { EndPanel } from "./EndPanel";
import { InvoicesPanel } from "./InvoicesPanel";
import { LinksPanel } from "./LinksPanel";
import { OperatorPanel } from "./OperatorPanel";
import { ProfilePanel } from "./ProfilePanel";
import { RolesPanel } from "./RolesPanel";
import { UserState } from "./status";
import type { User } from "./types";

export function UserPage() {
  return (
    <OneRecord<User> resource="users">{(user) => <One key={user.id} user={user} />}</OneRecord>
  );
}

function One({ user }: { user: User }) {
  const t = useText();
  const mayWrite = useCan("admin.users");
  const maySeeMoney = useCan("admin.payments.read");
  const maySeeAccess = useCan("admin.api-keys.read");
  const maySeeAudit = useCan("admin.audit.read");
  return (
    <Page
      title={user.username}
      badge={<UserState status={user.status} />}
      subtitle={
        <>
          #{user.id} · {t("users.joined")} <When at={user.created_at} /> · {t("users.changed")}{" "}
          <When at={user.updated_at} />
        </>
      }
      back={{ to: "/users", text: t("users.title") }}
      actions={mayWrite && <BlockButton user={user} />}
    >
      <Box
        sx={{
          display: "grid",
          gap: 2,
          alignItems: "start",
          gridTemplateColumns: { xs: "minmax(0, 1fr)", lg: "minmax(0, 3fr) minmax(0, 2fr)" },
        }}
      >
        <Stack sx={{ gap: 2 }}>
          <ProfilePanel user={user} />
          <RolesPanel user={user} />
          <DevicesPanel user={user} />
          <LinksPanel user={user} />
        </Stack>
        <Stack sx={{ gap: 2 }}>
          <BlocksPanel user={user} />
          {maySeeMoney && <InvoicesPanel user={user} />}
          {maySeeAudit && <ActivityPanel user={user} />}
          {maySeeAccess && <OperatorPanel user={user} />}
          {mayWrite && <EndPanel user={user} />}
        </Stack>
      </Box>
    </Page>
  );
}
