import Alert from "@mui/material/Alert";
import Button from "@mui/material/Button";
import List from "@mui/material/List";
import ListItem from "@mui/material/ListItem";
import Skeleton from "@mui/material/Skeleton";
import Typography from "@mui/material/Typography";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Panel } from "../../components/Panel";
import { useText } from "../../i18n";
import { useErrorText } from "../../i18n/describe";

const FIRST = 5;
/** The largest page that the service serves. */
const MOST = 100;

interface Props<T> {
  title: string;
  hint?: string;
  actions?: ReactNode;
  queryKey: readonly unknown[];
  /** Reads the first entries, as many as are asked for or all. */
  read: (count: number) => Promise<T[]>;
  /** What is said if there is none. */
  empty: string;
  entry: (value: T) => ReactNode;
  /** Shown below the entries, such as a link to all of them. */
  footer?: ReactNode;
}

/** A panel with a short list that belongs to a user. More is shown on request. */
export function Entries<T extends { id: number }>(props: Props<T>) {
  const { title, hint, actions, queryKey, read, empty, entry, footer } = props;
  const t = useText();
  const errorText = useErrorText();
  const [count, setCount] = useState(FIRST);
  const { data, error } = useQuery({
    // One more than is shown tells whether there are more.
    queryKey: [...queryKey, count],
    queryFn: () => read(Math.min(count + 1, MOST)),
    placeholderData: (previous) => previous,
  });
  return (
    <Panel title={title} hint={hint} actions={actions} flush>
      {error !== null ? (
        <Alert severity="error" sx={{ m: 2.5, mt: 0 }}>
          {errorText(error)}
        </Alert>
      ) : data === undefined ? (
        <Skeleton aria-busy height={56} sx={{ mx: 2.5 }} />
      ) : data.length === 0 ? (
        <Typography variant="body2" color="textSecondary" sx={{ px: 2.5, pb: 2.5 }}>
          {empty}
        </Typography>
      ) : (
        <List disablePadding sx={{ borderTop: 1, borderColor: "divider" }}>
          {data.slice(0, count).map((value, index, { length }) => (
            <ListItem
              key={value.id}
              divider={index < length - 1}
              sx={{ px: 2.5, py: 1.25, "& > *": { flexGrow: 1, minWidth: 0 } }}
            >
              {entry(value)}
            </ListItem>
          ))}
        </List>
      )}
      {(data?.length ?? 0) > count && (
        <Button sx={{ mx: 1.25, mb: 1 }} onClick={() => setCount(MOST)}>
          {t("common.showMore")}
        </Button>
      )}
      {footer}
    </Panel>
  );
}
