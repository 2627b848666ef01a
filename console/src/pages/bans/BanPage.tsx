import EditOutlined from "@mui/icons-material/EditOutlined";
import LockOpenOutlined from "@mui/icons-material/LockOpenOutlined";
import { Button, Stack } from "@mui/material";
import { useState } from "react";
import { Columns, Page } from "../../components/Page";
import { recordPage } from "../../components/recordPage";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { ActivityPanel } from "../users/ActivityPanel";
import type { BanRecord } from "./ban";
import { BanStateChip, useSubjectName } from "./BanCells";
import { FactsPanel } from "./BanFacts";
import { EditBan, LiftBan } from "./BanDialogs";
import { BansPanel } from "./BansPanel";
import { KicksPanel } from "./KicksPanel";
import { KnowUsers } from "./known";

export const BanPage = recordPage("bans", One);

function One({ record: ban }: { record: BanRecord }) {
  return (
    <KnowUsers bans={[ban]}>
      <Content ban={ban} />
    </KnowUsers>
  );
}

function Content({ ban }: { ban: BanRecord }) {
  const t = useText();
  const mayWrite = useCan("admin.bans");
  const maySeeAudit = useCan("admin.audit.read");
  const name = useSubjectName(ban);
  return (
    <Page
      title={name}
      badge={<BanStateChip state={ban.state} />}
      subtitle={t("bans.number", { id: ban.id })}
      back="bans"
      actions={mayWrite && ban.state === "active" && <Actions ban={ban} name={name} />}
    >
      <Columns widths="minmax(0, 3fr) minmax(0, 2fr)" gap={2}>
        <FactsPanel ban={ban} />
        <Stack sx={{ gap: 2 }}>
          {ban.steam_id64 !== null && <KicksPanel ban={ban} />}
          <BansPanel
            title={t("bans.others")}
            empty={t("bans.noOthers")}
            player={ban}
            except={ban.id}
          />
          {maySeeAudit && (
            <ActivityPanel resource="bans" id={ban.id} empty={t("bans.noActivity")} />
          )}
        </Stack>
      </Columns>
    </Page>
  );
}

/** What can be done with a ban that is in force. */
function Actions({ ban, name }: { ban: BanRecord; name: string }) {
  const t = useText();
  const [dialog, setDialog] = useState<"edit" | "lift" | null>(null);
  const close = () => setDialog(null);
  return (
    <>
      <Button variant="outlined" startIcon={<EditOutlined />} onClick={() => setDialog("edit")}>
        {t("common.edit")}
      </Button>
      <Button variant="outlined" startIcon={<LockOpenOutlined />} onClick={() => setDialog("lift")}>
        {t("bans.lift.button")}
      </Button>
      {dialog === "edit" && <EditBan ban={ban} onClose={close} />}
      {dialog === "lift" && <LiftBan ban={ban} name={name} onClose={close} />}
    </>
  );
}
