import Box from "@mui/material/Box";
import Skeleton from "@mui/material/Skeleton";
import Table from "@mui/material/Table";
import TableBody from "@mui/material/TableBody";
import TableCell from "@mui/material/TableCell";
import TableContainer from "@mui/material/TableContainer";
import TableHead from "@mui/material/TableHead";
import TableRow from "@mui/material/TableRow";
import Typography from "@mui/material/Typography";
import { Panel } from "../../components/Panel";
import { useText } from "../../i18n";
import { useFormat } from "../../i18n/format";
import type { Live } from "./types";
import { useLive } from "./useLive";

/** Who plays now. */
export function PlayersPanel({ id }: { id: number }) {
  const t = useText();
  const { data: live, isPending } = useLive(id);
  return (
    <Panel title={t("servers.players.title")} flush>
      {isPending ? (
        <Box sx={{ px: 2.5, pb: 2 }}>
          <Skeleton height={160} />
        </Box>
      ) : live === undefined || live.players.length === 0 ? (
        <Typography color="textSecondary" variant="body2" sx={{ px: 2.5, pb: 2.5 }}>
          {t(
            live?.reachable !== true
              ? "servers.players.unknown"
              : live.players_online > 0
                ? "servers.players.unlisted"
                : "servers.players.nobody",
          )}
        </Typography>
      ) : (
        <PlayerTable players={live.players} />
      )}
    </Panel>
  );
}

function PlayerTable({ players }: { players: Live["players"] }) {
  const t = useText();
  const format = useFormat();
  const sorted = [...players].sort((a, b) => (b.score ?? 0) - (a.score ?? 0));
  return (
    <TableContainer sx={{ maxHeight: 480 }} tabIndex={0} aria-label={t("servers.players.title")}>
      <Table size="small" stickyHeader>
        <TableHead>
          <TableRow>
            <TableCell sx={{ pl: 2.5 }}>{t("servers.players.name")}</TableCell>
            <TableCell align="right">{t("servers.players.score")}</TableCell>
            <TableCell align="right" sx={{ pr: 2.5 }}>
              {t("servers.players.time")}
            </TableCell>
          </TableRow>
        </TableHead>
        <TableBody>
          {sorted.map(({ name, score, seconds }, index) => (
            <TableRow key={`${name}/${index}`}>
              <TableCell sx={{ pl: 2.5, overflowWrap: "anywhere" }}>
                {name === "" ? t("servers.players.nameless") : name}
              </TableCell>
              <TableCell align="right">{score === null ? "–" : format.number(score)}</TableCell>
              <TableCell align="right" sx={{ pr: 2.5, whiteSpace: "nowrap" }}>
                {seconds === null ? "–" : format.span(seconds)}
              </TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </TableContainer>
  );
}
