import { useMediaQuery } from "@mui/material";
import { DataTable } from "react-admin";
import { changedRow, UnsortedColumn } from "../../components/list/ListPage";
import { RowList } from "../../components/list/RowList";
import { When } from "../../components/text";
import { useText } from "../../i18n";
import { useChangedBy } from "../../live/LiveUpdates";
import { useTokens } from "../../theme/theme";
import { BlockAuthor } from "../users/Blocks";
import type { Ban } from "./ban";
import {
  BanKindLabel,
  BanStateChip,
  OfUser,
  PlayerCell,
  SubjectName,
  TermCell,
  useLengthText,
  useScopeText,
} from "./BanCells";
import { KnowUsers } from "./known";

const Column = UnsortedColumn<Ban>;
/** The service has one order. */
const SORT = { field: "id", order: "DESC" } as const;

/** Bans as a table, and as cards on phones. */
export function BanTable({ bans }: { bans: Ban[] }) {
  const t = useText();
  const tokens = useTokens();
  const isWide = useMediaQuery("(min-width: 700px)");
  const changedBy = useChangedBy("bans");
  const length = useLengthText();
  const scope = useScopeText();
  const table = isWide ? (
    <DataTable<Ban>
      resource="bans"
      data={bans}
      total={bans.length}
      isPending={false}
      sort={SORT}
      rowClick="edit"
      bulkActionButtons={false}
      rowSx={(ban: Ban) => changedRow(changedBy(ban.id), tokens, t)}
    >
      <Column
        source="player_name"
        label={t("bans.player")}
        render={(ban) => <PlayerCell ban={ban} />}
      />
      <Column
        source="kind"
        label={t("bans.kind")}
        render={({ kind }) => <BanKindLabel kind={kind} />}
      />
      <Column source="reason" label={t("common.reason")} render={({ reason }) => reason} />
      <Column
        source="created_at"
        label={t("bans.issuedAt")}
        render={({ created_at: at }) => <When at={at} />}
      />
      <Column
        source="expires_at"
        label={t("bans.until")}
        render={(ban) => <TermCell ban={ban} />}
      />
      <Column
        source="state"
        label={t("common.state")}
        render={({ state }) => <BanStateChip state={state} />}
      />
      <Column
        source="issued_by"
        label={t("bans.issuedBy")}
        render={({ issued_by: by }) => <BlockAuthor by={by} />}
      />
      <Column
        source="server_ids"
        label={t("common.resources.servers")}
        render={({ server_ids: ids }) => scope(ids)}
      />
    </DataTable>
  ) : (
    <RowList<Ban>
      resource="bans"
      records={bans}
      card={(ban) => ({
        title: <SubjectName ban={ban} />,
        detail: (
          <>
            <BanKindLabel kind={ban.kind} /> · {length(ban)}
            <br />
            {ban.reason}
            <br />
            <OfUser ban={ban} />
            <When at={ban.created_at} />
          </>
        ),
        aside: <BanStateChip state={ban.state} />,
      })}
    />
  );
  return <KnowUsers bans={bans}>{table}</KnowUsers>;
}
