import Box from "@mui/material/Box";
import Checkbox from "@mui/material/Checkbox";
import List from "@mui/material/List";
import ListItem from "@mui/material/ListItem";
import ListItemButton from "@mui/material/ListItemButton";
import ListItemText from "@mui/material/ListItemText";
import type { ReactNode } from "react";
import { type RaRecord, useCreatePath, useListContext, useTranslate } from "react-admin";
import { Link } from "react-router";
import { useText } from "../../i18n";
import { useChangedBy } from "../../live/changes";
import { useTokens } from "../../theme/theme";

interface Props<R> {
  card: (record: R) => { title: ReactNode; detail?: ReactNode; aside?: ReactNode };
  /** Whether something can be done with many at once. */
  selectable: boolean;
}

/** The records of a list one below the other, for narrow screens. */
export function RowList<R extends RaRecord>({ card, selectable }: Props<R>) {
  const translate = useTranslate();
  const { data, resource, selectedIds, onToggleItem } = useListContext<R>();
  const createPath = useCreatePath();
  const t = useText();
  const tokens = useTokens();
  const changedBy = useChangedBy(resource);
  return (
    <List disablePadding>
      {(data ?? []).map((record) => {
        const { title, detail, aside } = card(record);
        const name = changedBy(record.id);
        return (
          <ListItem key={record.id} disablePadding divider>
            {selectable && (
              <Checkbox
                checked={selectedIds.includes(record.id)}
                onChange={() => onToggleItem(record.id)}
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
