import { Box, InputAdornment, Stack, Typography } from "@mui/material";
import { BooleanInput, required, TextInput } from "react-admin";
import { useWatch } from "react-hook-form";
import type { Schemas } from "../../api/client";
import { Columns, Panel } from "../../components/Page";
import { Muted } from "../../components/text";
import { useText } from "../../i18n";
import { useTokens } from "../../theme/theme";
import { HtmlInput } from "./editor/HtmlEditor";
import { cut, excerpt } from "./excerpt";

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
    <Columns widths="minmax(0, 1fr) 380px" gap={2}>
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
    </Columns>
  );
}

interface Props {
  source: string;
  label: string;
  hint: string;
  /** How many characters search engines show. */
  shown: number;
  rows?: number;
}

/** A text for search engines. It says how much of it will be seen. */
function MetaInput({ source, label, hint, shown, rows }: Props) {
  const t = useText();
  const tokens = useTokens();
  const value: unknown = useWatch({ name: source });
  const length = typeof value === "string" ? [...value].length : 0;
  const isLong = length > shown;
  return (
    <TextInput
      source={source}
      label={label}
      fullWidth
      sx={{ mb: 1.5 }}
      {...(rows !== undefined && { multiline: true, minRows: rows })}
      helperText={
        length === 0 ? (
          hint
        ) : (
          <Box component="span" sx={{ color: isLong ? tokens.warn : tokens.good }}>
            {t(isLong ? "pages.search.long" : "pages.search.fits", { length, shown })}
          </Box>
        )
      }
    />
  );
}

/** The page as search engines will show it. */
function SearchPreview(props: { titleLength: number; descriptionLength: number }) {
  const t = useText();
  const tokens = useTokens();
  const values = useWatch({
    name: [
      field("title"),
      field("slug"),
      field("meta_title"),
      field("meta_description"),
      field("content"),
    ],
  }) as unknown[];
  const [title = "", slug = "", metaTitle = "", metaDescription = "", content = ""] = values.map(
    (value) => (typeof value === "string" ? value : ""),
  );
  const shownTitle = metaTitle.trim() || title.trim() || t("pages.search.noTitle");
  const shownText = metaDescription.trim() || excerpt(content, props.descriptionLength);

  return (
    <Box
      component="figure"
      aria-label={t("pages.search.preview")}
      sx={{
        m: 0,
        mb: 2.5,
        p: 2,
        borderRadius: 1,
        border: 1,
        borderColor: "divider",
        bgcolor: tokens.inset,
        overflowWrap: "anywhere",
      }}
    >
      <Typography variant="caption" color="textSecondary" component="div">
        {[t("pages.search.site"), ...slug.split("/").filter((step) => step !== "")].join(" › ")}
      </Typography>
      <Typography sx={{ color: "primary.main", fontSize: 17, lineHeight: 1.35, my: 0.25 }}>
        {cut(shownTitle, props.titleLength)}
      </Typography>
      <Muted>{cut(shownText, props.descriptionLength) || t("pages.search.noText")}</Muted>
    </Box>
  );
}
