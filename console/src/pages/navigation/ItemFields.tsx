import Box from "@mui/material/Box";
import { BooleanInput, required, SelectInput, TextInput } from "react-admin";
import type { Schemas } from "../../api/client";
import { useText } from "../../i18n";
import { AudienceInput } from "./AudienceInput";
import { DirtyReport } from "./ItemDialog";
import { RolesInput } from "./RolesInput";
import { UrlInput } from "./UrlInput";

type Field = Exclude<keyof Schemas["NewNavbarItem"], "parent_id" | "position">;

export const ITEM_FIELDS: Field[] = [
  "title",
  "url",
  "icon",
  "new_tab",
  "visibility",
  "visible_only_for_guests",
  "visible_only_for_logged_in",
  "roles",
];

/** The name of a field, which does not compile if the API renames it. */
export function field(name: Field): Field {
  return name;
}

export const DEVICES: Schemas["NavbarItem"]["visibility"][] = ["all", "desktop", "mobile"];

/** The inputs of an item. */
export function ItemFields() {
  const t = useText();
  return (
    <Box>
      <DirtyReport />
      <TextInput
        source={field("title")}
        label={t("navigation.fields.title")}
        validate={required()}
        fullWidth
      />
      <UrlInput source={field("url")} label={t("navigation.fields.url")} />
      <BooleanInput
        source={field("new_tab")}
        label={t("navigation.fields.new_tab")}
        helperText={false}
      />
      <Box
        sx={{
          display: "grid",
          columnGap: 2,
          rowGap: 1.5,
          mt: 1,
          gridTemplateColumns: { xs: "minmax(0, 1fr)", sm: "repeat(2, minmax(0, 1fr))" },
        }}
      >
        <TextInput
          source={field("icon")}
          label={t("navigation.fields.icon")}
          helperText={t("navigation.hints.icon")}
        />
        <SelectInput
          source={field("visibility")}
          label={t("navigation.fields.visibility")}
          choices={DEVICES.map((id) => ({ id, name: t(`navigation.devices.${id}`) }))}
          translateChoice={false}
          margin="none"
          validate={required()}
        />
      </Box>
      <AudienceInput />
      <RolesInput source={field("roles")} label={t("navigation.fields.roles")} />
    </Box>
  );
}
