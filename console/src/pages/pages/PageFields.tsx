import Box from "@mui/material/Box";
import InputAdornment from "@mui/material/InputAdornment";
import Stack from "@mui/material/Stack";
import { BooleanInput, required, TextInput } from "react-admin";
import type { Schemas } from "../../api/client";
import { Panel } from "../../components/Panel";
import { useText } from "../../i18n";
import { HtmlInput } from "./editor/HtmlInput";
import { MetaInput } from "./MetaInput";
import { SearchPreview } from "./SearchPreview";

type Field = keyof Schemas["NewPage"];

export const PAGE_FIELDS: Field[] = [
  "title",
  "slug",
  "content",
  "meta_title",
  "meta_description",
  "is_active",
];

/** The name of a field, which does not compile if the API renames it. */
export function field(name: Field): Field {
  return name;
}

/** What search engines show of a title and of a description before they cut it off. */
const SHOWN = { title: 60, description: 160 };

/** The inputs of a page. */
export function PageFields() {
  const t = useText();
  return (
    <Box
      sx={{
        display: "grid",
        gap: 2,
        alignItems: "start",
        gridTemplateColumns: { xs: "minmax(0, 1fr)", lg: "minmax(0, 1fr) 380px" },
      }}
    >
      <Stack sx={{ gap: 2 }}>
        <Panel>
          <Box
            sx={{
              display: "grid",
              columnGap: 2,
              rowGap: 1.5,
              gridTemplateColumns: { xs: "minmax(0, 1fr)", sm: "repeat(2, minmax(0, 1fr))" },
            }}
          >
            <TextInput
              source={field("title")}
              label={t("pages.fields.title")}
              helperText={t("pages.hints.title")}
              validate={required()}
            />
            <TextInput
              source={field("slug")}
              label={t("pages.fields.slug")}
              helperText={t("pages.hints.slug")}
              validate={required()}
              slotProps={{
                input: {
                  startAdornment: <InputAdornment position="start">/</InputAdornment>,
                },
              }}
            />
          </Box>
          <BooleanInput
            source={field("is_active")}
            label={t("pages.fields.is_active")}
            helperText={t("pages.hints.is_active")}
          />
        </Panel>
        <Panel title={t("pages.fields.content")} hint={t("pages.hints.content")}>
          <HtmlInput source={field("content")} label={t("pages.fields.content")} />
        </Panel>
      </Stack>
      <Panel title={t("pages.search.title")} hint={t("pages.search.hint")}>
        <SearchPreview titleLength={SHOWN.title} descriptionLength={SHOWN.description} />
        <MetaInput
          source={field("meta_title")}
          label={t("pages.fields.meta_title")}
          hint={t("pages.hints.meta_title")}
          shown={SHOWN.title}
        />
        <MetaInput
          source={field("meta_description")}
          label={t("pages.fields.meta_description")}
          hint={t("pages.hints.meta_description")}
          shown={SHOWN.description}
          rows={4}
        />
      </Panel>
    </Box>
  );
}
