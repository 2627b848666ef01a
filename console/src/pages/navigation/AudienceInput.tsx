import FormControl from "@mui/material/FormControl";
import FormControlLabel from "@mui/material/FormControlLabel";
import FormLabel from "@mui/material/FormLabel";
import Radio from "@mui/material/Radio";
import RadioGroup from "@mui/material/RadioGroup";
import { useId } from "react";
import { useInput } from "react-admin";
import { useText } from "../../i18n";
import { field } from "./ItemFields";

const AUDIENCES = ["everyone", "guests", "members"] as const;
type Audience = (typeof AUDIENCES)[number];

/** Who sees an item. The API has two switches, of which at most one can be on. */
export function AudienceInput() {
  const t = useText();
  const id = useId();
  const guests = useInput({ source: field("visible_only_for_guests") });
  const members = useInput({ source: field("visible_only_for_logged_in") });
  const value: Audience =
    guests.field.value === true ? "guests" : members.field.value === true ? "members" : "everyone";
  const choose = (audience: Audience) => {
    guests.field.onChange(audience === "guests");
    members.field.onChange(audience === "members");
  };
  return (
    <FormControl disabled={guests.field.disabled === true} sx={{ my: 1.5 }}>
      <FormLabel id={id}>{t("navigation.audience")}</FormLabel>
      <RadioGroup
        row
        aria-labelledby={id}
        value={value}
        onChange={(event) => choose(event.target.value as Audience)}
      >
        {AUDIENCES.map((audience) => (
          <FormControlLabel
            key={audience}
            value={audience}
            control={<Radio size="small" />}
            label={t(`navigation.audiences.${audience}`)}
          />
        ))}
      </RadioGroup>
    </FormControl>
  );
}
