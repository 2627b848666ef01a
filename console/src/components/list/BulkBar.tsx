import CloseIcon from "@mui/icons-material/Close";
import IconButton from "@mui/material/IconButton";
import Paper from "@mui/material/Paper";
import Tooltip from "@mui/material/Tooltip";
import Typography from "@mui/material/Typography";
import type { ReactNode } from "react";
import { SelectAllButton, useListContext, useTranslate } from "react-admin";
import { useText } from "../../i18n";

/** The most that the service changes at once. */
const LIMIT = 1000;

/** What can be done with the selected records. It lies over the list, so that nothing moves. */
export function BulkBar({ children }: { children: ReactNode }) {
  const t = useText();
  const translate = useTranslate();
  const { selectedIds, onUnselectItems } = useListContext();
  if (selectedIds.length === 0) {
    return null;
  }
  return (
    <Paper
      role="region"
      aria-label={t("common.actions")}
      elevation={8}
      sx={{
        position: "sticky",
        bottom: 16,
        zIndex: "appBar",
        display: "flex",
        flexWrap: "wrap",
        alignItems: "center",
        gap: 1,
        width: "fit-content",
        maxWidth: "100%",
        mt: 2,
        mx: "auto",
        px: 1.5,
        py: 1,
        borderRadius: 3,
        border: 1,
        borderColor: "divider",
      }}
    >
      <Tooltip title={translate("ra.action.unselect")}>
        <IconButton
          size="small"
          aria-label={translate("ra.action.unselect")}
          onClick={() => onUnselectItems()}
        >
          <CloseIcon fontSize="small" />
        </IconButton>
      </Tooltip>
      <Typography variant="body2" role="status" sx={{ fontWeight: 600, mr: 1 }}>
        {t("common.selected", { smart_count: selectedIds.length })}
      </Typography>
      <SelectAllButton limit={LIMIT} />
      {children}
    </Paper>
  );
}
