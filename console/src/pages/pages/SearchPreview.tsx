import Box from "@mui/material/Box";
import Typography from "@mui/material/Typography";
import { useWatch } from "react-hook-form";
import { useText } from "../../i18n";
import { useTokens } from "../../theme/theme";
import { cut, excerpt } from "./excerpt";
import { field } from "./PageFields";

/** The page as search engines will show it. */
export function SearchPreview(props: { titleLength: number; descriptionLength: number }) {
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
      <Typography variant="body2" color="textSecondary">
        {cut(shownText, props.descriptionLength) || t("pages.search.noText")}
      </Typography>
    </Box>
  );
}
