import Box from "@mui/material/Box";
import Checkbox from "@mui/material/Checkbox";
import FormControlLabel from "@mui/material/FormControlLabel";
import { useText } from "../../i18n";
import { MONOSPACE } from "../../theme/tokens";
import {
  allOf,
  eventOf,
  type EventResource,
  EVENTS,
  has,
  selectAction,
  selectResource,
} from "./events";

interface Props {
  resource: EventResource;
  patterns: readonly string[];
  readOnly: boolean;
  onChange: (patterns: string[]) => void;
}

/** A resource with its actions. The box of the resource stands for all of them, later ones too. */
export function EventGroup({ resource, patterns, readOnly, onChange }: Props) {
  const t = useText();
  const isAll = has(patterns, allOf(resource));
  const isChosen = (event: string) => isAll || has(patterns, event);
  const actions = EVENTS[resource];
  const isSome = actions.some((action) => has(patterns, eventOf(resource, action)));
  const name = t(`webhooks.resources.${resource}`);

  return (
    <Box
      role="group"
      aria-label={name}
      sx={{ border: 1, borderColor: "divider", borderRadius: 1, px: 1.5, py: 0.75 }}
    >
      <Box sx={{ display: "flex", alignItems: "center" }}>
        <FormControlLabel
          sx={{ flexGrow: 1 }}
          slotProps={{ typography: { variant: "body2", sx: { fontWeight: 600 } } }}
          label={name}
          control={
            <Checkbox
              size="small"
              checked={isAll}
              indeterminate={!isAll && isSome}
              disabled={readOnly}
              onChange={(_, isSelected) => onChange(selectResource(patterns, resource, isSelected))}
            />
          }
        />
        <Box component="code" sx={{ fontFamily: MONOSPACE, fontSize: 12, color: "text.secondary" }}>
          {allOf(resource)}
        </Box>
      </Box>
      <Box sx={{ display: "flex", flexWrap: "wrap", pl: 3 }}>
        {actions.map((action) => (
          <FormControlLabel
            key={action}
            slotProps={{ typography: { variant: "body2" } }}
            label={t(`webhooks.actions.${action}`)}
            control={
              <Checkbox
                size="small"
                sx={{ p: 0.5 }}
                checked={isChosen(eventOf(resource, action))}
                disabled={readOnly}
                onChange={(_, isSelected) =>
                  onChange(selectAction(patterns, resource, action, isSelected))
                }
              />
            }
          />
        ))}
      </Box>
    </Box>
  );
}
