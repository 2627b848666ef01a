import { FormControlLabel, Switch } from "@mui/material";
import { useState } from "react";
import { type RaRecord, useNotify, useRefresh } from "react-admin";
import { request } from "../api/client";
import { ETAG } from "../api/dataProvider";
import { resource as infoOf, type ResourceName } from "../api/resources";
import { useErrorText, useText } from "../i18n";
import { useCan } from "../session/session";
import { UnsortedColumn } from "./list/ListPage";
import { useDone } from "./useAct";

interface Props {
  resource: ResourceName;
  record: RaRecord & { [ETAG]?: string };
  /** The field that is switched. */
  field: string;
  label: string;
  /** What is switched, in the message that follows. */
  name: string;
}

/**
 * Switches a field of a record on and off. It sends the value that the person wants: where two
 * people switch at once, both get what they asked for, which a toggle would not do.
 */
export function RecordSwitch({ resource, record, field, label, name }: Props) {
  const { path, write } = infoOf(resource);
  const mayWrite = useCan(write);
  const value = record[field] as boolean;
  const t = useText();
  const notify = useNotify();
  const refresh = useRefresh();
  const done = useDone();
  const errorText = useErrorText();
  const [wanted, setWanted] = useState<boolean | null>(null);

  // The switch stays where the person put it until the record that was read again says so, too.
  if (wanted !== null && wanted === value) {
    setWanted(null);
  }

  const change = async (next: boolean) => {
    setWanted(next);
    try {
      const ifMatch = record[ETAG];
      const put = (to: boolean, tag?: string) =>
        request("PUT", `${path}/${record.id}`, { body: { [field]: to }, ifMatch: tag });
      await put(next, ifMatch);
      done(t(next ? "common.switchedOn" : "common.switchedOff", { name }), () => put(!next));
    } catch (error) {
      setWanted(null);
      notify(errorText(error), { type: "error" });
      refresh();
    }
  };

  return (
    <Switch
      size="small"
      checked={wanted ?? value}
      disabled={!mayWrite || wanted !== null}
      onChange={(_, next) => void change(next)}
      onClick={(event) => event.stopPropagation()}
      slotProps={{ input: { "aria-label": label } }}
    />
  );
}

interface ColumnProps<R> {
  resource: ResourceName;
  field: keyof R & string;
  /** The title of the column. */
  title: string;
  /** The label of the switch of a record, which names it. */
  label: (record: R) => string;
  name: (record: R) => string;
}

/** A column of a list with a switch in each row. */
export function SwitchColumn<R extends RaRecord>(props: ColumnProps<R>) {
  const { resource, field, title, label, name } = props;
  return (
    <UnsortedColumn<R>
      source={field}
      label={title}
      render={(record) => (
        <RecordSwitch
          resource={resource}
          record={record}
          field={field}
          label={label(record)}
          name={name(record)}
        />
      )}
    />
  );
}

/** A switch with a word beside it. */
export function LabelledSwitch({ text, ...props }: Props & { text: string }) {
  return (
    <FormControlLabel
      label={text}
      slotProps={{ typography: { variant: "body2" } }}
      sx={{ ml: -0.5 }}
      control={<RecordSwitch {...props} />}
    />
  );
}
