import Box from "@mui/material/Box";
import List from "@mui/material/List";
import ListItem from "@mui/material/ListItem";
import ListItemButton from "@mui/material/ListItemButton";
import ListItemText from "@mui/material/ListItemText";
import type { ReactNode } from "react";
import { type RaRecord, useCreatePath, useListContext } from "react-admin";
import { Link } from "react-router";

interface Props<R> {
  card: (record: R) => { title: ReactNode; detail?: ReactNode; aside?: ReactNode };
}

/** The records of a list one below the other, for narrow screens. */
export function RowList<R extends RaRecord>({ card }: Props<R>) {
  const { data, resource } = useListContext<R>();
  const createPath = useCreatePath();
  return (
    <List disablePadding>
      {(data ?? []).map((record) => {
        const { title, detail, aside } = card(record);
        return (
          <ListItem key={record.id} disablePadding divider>
            <ListItemButton
              component={Link}
              to={createPath({ resource, type: "edit", id: record.id })}
            >
              <ListItemText
                primary={title}
                secondary={detail}
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
