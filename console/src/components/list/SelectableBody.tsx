import Checkbox from "@mui/material/Checkbox";
import TableCell from "@mui/material/TableCell";
import { type ReactNode, useMemo } from "react";
import {
  DataTableBody,
  DataTableConfigContext,
  DataTableRow,
  useDataTableCallbacksContext,
  useDataTableConfigContext,
  useDataTableSelectedIdsContext,
  useRecordContext,
  useTranslate,
} from "react-admin";

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
