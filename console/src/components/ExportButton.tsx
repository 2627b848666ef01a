import CloseIcon from "@mui/icons-material/Close";
import FileDownloadOutlined from "@mui/icons-material/FileDownloadOutlined";
import { Button, ButtonGroup, CircularProgress, Menu, MenuItem } from "@mui/material";
import { useEffect, useRef, useState } from "react";
import { useNotify } from "react-admin";
import { download, keep } from "../api/download";
import { useErrorText, useFormat, useText } from "../i18n";

interface Props {
  /** The address of the export, such as `/api/users/export`. */
  path: string;
  /** The filters of what is shown. Empty ones are left out. */
  query: Record<string, string | number | boolean | null | undefined>;
  /** How the file begins: `users` becomes `users-2026-11-16.csv`. */
  name: string;
  /** Where the export would not be what the list shows. */
  disabled?: boolean;
}

const FORMATS = [
  { format: "csv", text: "common.exportCsv" },
  { format: "ndjson", text: "common.exportNdjson" },
] as const;

/** Downloads what a list shows as a file, however long it is, and says how much has arrived. */
export function ExportButton({ path, query, name, disabled }: Props) {
  const t = useText();
  const notify = useNotify();
  const errorText = useErrorText();
  const format = useFormat();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const [bytes, setBytes] = useState<number | null>(null);
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);

  const run = async (extension: string) => {
    setAnchor(null);
    setBytes(0);
    const { signal } = (running.current = new AbortController());
    try {
      const file = await download(`${path}?${parameters(query, extension)}`, signal, setBytes);
      keep(file, `${name}-${new Date().toISOString().slice(0, 10)}.${extension}`);
      notify(t("common.exported"), { type: "success" });
    } catch (error) {
      if (!signal.aborted) {
        notify(errorText(error), { type: "error" });
      }
    } finally {
      setBytes(null);
    }
  };

  if (bytes !== null) {
    return (
      <ButtonGroup variant="outlined" size="small">
        <Button disabled startIcon={<CircularProgress size={14} color="inherit" />}>
          {t("common.exporting", { size: format.bytes(bytes) })}
        </Button>
        <Button aria-label={t("common.cancel")} onClick={() => running.current?.abort()}>
          <CloseIcon fontSize="small" />
        </Button>
      </ButtonGroup>
    );
  }
  return (
    <>
      <Button
        variant="outlined"
        disabled={disabled === true}
        startIcon={<FileDownloadOutlined />}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        {t("common.export")}
      </Button>
      <Menu open={anchor !== null} anchorEl={anchor} onClose={() => setAnchor(null)}>
        {FORMATS.map(({ format: extension, text }) => (
          <MenuItem key={extension} onClick={() => void run(extension)}>
            {t(text)}
          </MenuItem>
        ))}
      </Menu>
    </>
  );
}

function parameters(query: Props["query"], format: string): URLSearchParams {
  const given = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null && value !== "",
  );
  return new URLSearchParams([
    ...given.map(([field, value]) => [field, String(value)]),
    ["format", format],
  ]);
}
