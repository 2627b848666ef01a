import {
  Autocomplete,
  Box,
  FormControl,
  FormControlLabel,
  FormLabel,
  Radio,
  RadioGroup,
  TextField,
} from "@mui/material";
import { useId } from "react";
import { BooleanInput, SelectInput, TextInput, useInput } from "react-admin";
import { api, type Schemas } from "../../api/client";
import { useRead } from "../../api/useRead";
import { RolesInput } from "../../components/form/RolesInput";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";

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
function field(name: Field): Field {
  return name;
}

const DEVICES: Schemas["NavbarItem"]["visibility"][] = ["all", "desktop", "mobile"];

/** The inputs of an item. */
export function ItemFields() {
  const t = useText();
  const mayReadRoles = useCan("admin.roles.read");
  return (
    <Box>
      <TextInput source={field("title")} label={t("navigation.fields.title")} required fullWidth />
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
          isRequired
        />
      </Box>
      <AudienceInput />
      <RolesInput
        label={t("navigation.fields.roles")}
        hint={t(mayReadRoles ? "navigation.hints.roles" : "navigation.hints.noRoles")}
      />
    </Box>
  );
}

/** Where an item leads: a page of the site, or any address. */
function UrlInput({ source, label }: { source: string; label: string }) {
  const t = useText();
  const { field, fieldState } = useInput<string | null>({ source });
  const mayRead = useCan("admin.pages.read");
  const { data: { pages } = { pages: [] } } = useRead(
    ["pages", "addresses"],
    () => api.GET("/api/cms-pages"),
    { enabled: mayRead },
  );
  const value = typeof field.value === "string" ? field.value : "";
  const addresses = new Map(pages.map((page) => [`/${String(page.slug)}`, page]));
  const page = addresses.get(value);
  const hint =
    page === undefined
      ? t("navigation.hints.url")
      : t(page.is_active ? "navigation.hints.page" : "navigation.hints.hiddenPage", {
          title: page.title,
        });

  return (
    <Autocomplete
      freeSolo
      fullWidth
      options={[...addresses.keys()]}
      inputValue={value}
      disabled={field.disabled === true}
      onInputChange={(_, next) => field.onChange(next)}
      renderOption={({ key, ...props }, address) => (
        <Box component="li" key={key} {...props}>
          <Box sx={{ flexGrow: 1 }}>{addresses.get(address)?.title}</Box>
          <Box sx={{ ml: 2, color: "text.secondary" }}>{address}</Box>
        </Box>
      )}
      filterOptions={(options, { inputValue }) => {
        const wanted = inputValue.toLowerCase();
        return options.filter((address) =>
          `${address} ${addresses.get(address)?.title ?? ""}`.toLowerCase().includes(wanted),
        );
      }}
      renderInput={(params) => (
        <TextField
          {...params}
          label={label}
          error={fieldState.invalid}
          helperText={fieldState.error?.message ?? hint}
        />
      )}
    />
  );
}

const AUDIENCES = ["everyone", "guests", "members"] as const;
type Audience = (typeof AUDIENCES)[number];

/** Who sees an item. The API has two switches, of which at most one can be on. */
function AudienceInput() {
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
