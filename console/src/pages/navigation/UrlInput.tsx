import Autocomplete from "@mui/material/Autocomplete";
import Box from "@mui/material/Box";
import TextField from "@mui/material/TextField";
import { useQuery } from "@tanstack/react-query";
import { useInput } from "react-admin";
import { api, body } from "../../api/client";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";

/** Where an item leads: a page of the site, or any address. */
export function UrlInput({ source, label }: { source: string; label: string }) {
  const t = useText();
  const { field, fieldState } = useInput<string | null>({ source });
  const { data: pages = [] } = useQuery({
    queryKey: ["pages", "addresses"],
    queryFn: async () => (await body(api.GET("/api/cms-pages"))).pages,
    enabled: useCan("admin.pages.read"),
  });
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
