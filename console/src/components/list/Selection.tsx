import CloseIcon from "@mui/icons-material/Close";
import { Checkbox, Paper, TableCell, Typography } from "@mui/material";
import { type ReactNode, useMemo } from "react";
import {
  DataTableBody,
  DataTableConfigContext,
  DataTableRow,
  SelectAllButton,
  useDataTableCallbacksContext,
  useDataTableConfigContext,
  useDataTableSelectedIdsContext,
  useListContext,
  useRecordContext,
  useTranslate,
} from "react-admin";
import { useText } from "../../i18n";
import { IconAction } from "../IconAction";

/**
 * The rows of a table with a checkbox each. Those of react-admin have their label where screen
 * readers do not find it.
 */
export function SelectableBody({ children }: { children?: ReactNode }) {
  return <DataTableBody row={SelectableRow}>{children}</DataTableBody>;
}

function SelectableRow({ children, ...props }: { children?: ReactNode }) {
  const config = useDataTableConfigContext();
  const withoutCheckbox = useMemo(() => ({ ...config, hasBulkActions: false }), [config]);
  return (
    <DataTableConfigContext.Provider value={withoutCheckbox}>
      <DataTableRow {...props}>
        <SelectCell />
        {children}
      </DataTableRow>
    </DataTableConfigContext.Provider>
  );
}

function SelectCell() {
  const translate = useTranslate();
  const record = useRecordContext();
  const selectedIds = useDataTableSelectedIdsContext();
  const { handleToggleItem } = useDataTableCallbacksContext();
  return (
    <TableCell padding="checkbox">
      <Checkbox
        checked={record !== undefined && selectedIds?.includes(record.id) === true}
        onClick={(event) => {
          // A click into a row opens the record.
          event.stopPropagation();
          if (record !== undefined) {
            handleToggleItem?.(record.id, event);
          }
        }}
        slotProps={{ input: { "aria-label": translate("ra.action.select_row") } }}
      />
    </TableCell>
  );
}

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
      <IconAction
        icon={CloseIcon}
        tip={translate("ra.action.unselect")}
        size="small"
        onClick={() => onUnselectItems()}
      />
      <Typography variant="body2" role="status" sx={{ fontWeight: 600, mr: 1 }}>
        {t("common.selected", { smart_count: selectedIds.length })}
      </Typography>
      <SelectAllButton limit={LIMIT} />
      {children}
    </Paper>
  );
}
