import DeleteOutlined from "@mui/icons-material/DeleteOutlined";
import { Button, List, ListItem } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { IconAction } from "../../components/IconAction";
import { Loaded } from "../../components/Loaded";
import { Panel } from "../../components/Page";
import { Muted } from "../../components/text";
import { useDone } from "../../components/useAct";
import { useText } from "../../i18n";

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
  /** How many are shown at first. */
  first?: number;
  /** What is said if there is none. */
  empty: string;
  entry: (value: T) => ReactNode;
  /** How an entry is removed, for those who may. */
  removal?: Removal<T> | false;
}

interface Removal<T> {
  name: (value: T) => string;
  /** The question. */
  title: (value: T) => string;
  /** What will be lost. */
  text: (value: T) => string;
  run: (value: T) => Promise<unknown>;
}

/** A panel with a short list that belongs to a user. More is shown on request. */
export function Entries<T extends { id: number }>(props: Props<T>) {
  const { title, hint, actions, queryKey, read, first = FIRST, empty, entry, removal } = props;
  const t = useText();
  const [count, setCount] = useState(first);
  const query = useQuery({
    // One more than is shown tells whether there are more.
    queryKey: [...queryKey, count],
    queryFn: () => read(Math.min(count + 1, MOST)),
    placeholderData: (previous) => previous,
  });
  return (
    <Panel title={title} hint={hint} actions={actions} flush>
      <Loaded query={query} inset>
        {(values) => (
          <>
            {values.length === 0 && <Muted sx={{ px: 2.5, pb: 2.5 }}>{empty}</Muted>}
            <List disablePadding>
              {values.slice(0, count).map((value) => (
                <ListItem
                  key={value.id}
                  sx={{
                    px: 2.5,
                    py: 1.25,
                    gap: 1,
                    borderTop: 1,
                    borderColor: "divider",
                    "& > :not(button)": { flexGrow: 1, minWidth: 0 },
                  }}
                >
                  {entry(value)}
                  {removal && <Remove value={value} removal={removal} />}
                </ListItem>
              ))}
            </List>
            {values.length > count && (
              <Button sx={{ mx: 1.25, mb: 1 }} onClick={() => setCount(MOST)}>
                {t("common.showMore")}
              </Button>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

/** The button that asks, and then removes an entry. */
function Remove<T>({ value, removal }: { value: T; removal: Removal<T> }) {
  const t = useText();
  const done = useDone();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <IconAction
        icon={DeleteOutlined}
        tip={t("common.remove")}
        label={`${t("common.remove")}: ${removal.name(value)}`}
        onClick={() => setOpen(true)}
      />
      {isOpen && (
        <ConfirmDialog
          title={removal.title(value)}
          confirm={t("common.remove")}
          danger
          onConfirm={async () => {
            await removal.run(value);
            done(t("common.deleted"));
          }}
          onClose={() => setOpen(false)}
        >
          {removal.text(value)}
        </ConfirmDialog>
      )}
    </>
  );
}
