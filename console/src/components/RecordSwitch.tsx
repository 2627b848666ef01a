import Switch from "@mui/material/Switch";
import { useState } from "react";
import { type Identifier, useNotify, useRefresh } from "react-admin";
import { request } from "../api/client";
import { resource as infoOf, type ResourceName } from "../api/resources";
import { useErrorText } from "../i18n/describe";

interface Props {
  resource: ResourceName;
  id: Identifier;
  /** The field that is switched. */
  field: string;
  value: boolean;
  label: string;
  /** The version that is shown, if it is known. */
  ifMatch?: string | undefined;
  readOnly: boolean;
}

/**
 * Switches a field of a record on and off. It sends the value that the person wants: where two
 * people switch at once, both get what they asked for, which a toggle would not do.
 */
export function RecordSwitch({ resource, id, field, value, label, ifMatch, readOnly }: Props) {
  const notify = useNotify();
  const refresh = useRefresh();
  const errorText = useErrorText();
  const [wanted, setWanted] = useState<boolean | null>(null);

  // The switch stays where the person put it until the record that was read again says so, too.
  if (wanted !== null && wanted === value) {
    setWanted(null);
  }

  const change = async (next: boolean) => {
    setWanted(next);
    try {
      await request("PUT", `${infoOf(resource).path}/${id}`, { body: { [field]: next }, ifMatch });
    } catch (error) {
      setWanted(null);
      notify(errorText(error), { type: "error" });
    }
    refresh();
  };

  return (
    <Switch
      size="small"
      checked={wanted ?? value}
      disabled={readOnly || wanted !== null}
      onChange={(_, next) => void change(next)}
      onClick={(event) => event.stopPropagation()}
      slotProps={{ input: { "aria-label": label } }}
    />
  );
}
