import { Box, Checkbox, List, ListItem, ListItemButton, ListItemText } from "@mui/material";
import type { ReactNode } from "react";
import { type Identifier, type RaRecord, useCreatePath, useTranslate } from "react-admin";
import { Link } from "react-router";
import { useText } from "../../i18n";
import { useChangedBy } from "../../live/LiveUpdates";
import { useTokens } from "../../theme/theme";

interface Props<R> {
  resource: string;
  records: readonly R[];
  card: (record: R) => { title: ReactNode; detail?: ReactNode; aside?: ReactNode };
  /** Which are selected, where something can be done with many at once. */
  selection?: { ids: readonly Identifier[]; onToggle: (id: Identifier) => void } | undefined;
}

/** The records of a list one below the other, for narrow screens. */
export function RowList<R extends RaRecord>({ resource, records, card, selection }: Props<R>) {
  const translate = useTranslate();
  const createPath = useCreatePath();
  const t = useText();
  const tokens = useTokens();
  const changedBy = useChangedBy(resource);
  return (
    <List disablePadding>
      {records.map((record) => {
        const { title, detail, aside } = card(record);
        const name = changedBy(record.id);
        return (
          <ListItem key={record.id} disablePadding divider>
            {selection !== undefined && (
              <Checkbox
                checked={selection.ids.includes(record.id)}
                onChange={() => selection.onToggle(record.id)}
                slotProps={{ input: { "aria-label": translate("ra.action.select_row") } }}
              />
            )}
            <ListItemButton
              component={Link}
              to={createPath({ resource, type: "edit", id: record.id })}
              sx={name === undefined ? {} : { bgcolor: tokens.warnSoft }}
            >
              <ListItemText
                primary={title}
                secondary={name === undefined ? detail : t("common.changedNow", { name })}
                slotProps={{
                  primary: { sx: { fontWeight: 550, overflowWrap: "anywhere" } },
                  secondary: { component: "div", sx: { overflowWrap: "anywhere" } },
                }}
              />
              {aside !== undefined && <Box sx={{ ml: 2, flexShrink: 0 }}>{aside}</Box>}
            </ListItemButton>
          </ListItem>
        );
      })}
    </List>
  );
}
