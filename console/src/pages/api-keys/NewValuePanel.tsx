import Alert from "@mui/material/Alert";
import Button from "@mui/material/Button";
import MenuItem from "@mui/material/MenuItem";
import Stack from "@mui/material/Stack";
import TextField from "@mui/material/TextField";
import { useState } from "react";
import { useRefresh } from "react-admin";
import { request, type Schemas } from "../../api/client";
import { ETAG } from "../../api/dataProvider";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { Panel } from "../../components/Panel";
import { useText } from "../../i18n";
import type { Key } from "./ApiKeyPage";
import { isFuture } from "./attention";
import { NewValueDialog } from "./NewValueDialog";

const OVERLAPS = [
  { name: "hour", seconds: 3600 },
  { name: "day", seconds: 86_400 },
  { name: "threeDays", seconds: 259_200 },
  { name: "week", seconds: 604_800 },
] as const;

interface Props {
  apiKey: Key;
  /** Until when the value before the last rotation is valid. */
  previousUntil: string | null;
}

/** Gives a key a new value: with an overlap, or at once. */
export function NewValuePanel({ apiKey, previousUntil }: Props) {
  const t = useText();
  const refresh = useRefresh();
  const [asked, setAsked] = useState<"rotate" | "regenerate" | null>(null);
  const [seconds, setSeconds] = useState<number>(86_400);
  const [value, setValue] = useState<string | null>(null);
  const { id, name } = apiKey;
  const hasPrevious = isFuture(previousUntil);

  const renew = async (operation: "rotate" | "regenerate") => {
    const { body } = await request("POST", `/api/api-keys/${id}/${operation}`, {
      ifMatch: apiKey[ETAG],
      ...(operation === "rotate" && { body: { overlap_seconds: seconds } }),
    });
    setValue((body as Schemas["ApiKeyReply"]).api_key.key);
    refresh();
  };

  return (
    <Panel title={t("apiKeys.newValue")} hint={t("apiKeys.newValueHint")}>
      <Stack direction="row" sx={{ flexWrap: "wrap", gap: 1 }}>
        <Button variant="outlined" onClick={() => setAsked("rotate")}>
          {t("apiKeys.rotate")}
        </Button>
        <Button variant="outlined" color="error" onClick={() => setAsked("regenerate")}>
          {t("apiKeys.regenerate")}
        </Button>
      </Stack>
      {asked === "rotate" && (
        <ConfirmDialog
          title={t("apiKeys.rotateTitle", { name })}
          confirm={t("apiKeys.rotate")}
          onConfirm={() => renew("rotate")}
          onClose={() => setAsked(null)}
        >
          <Stack sx={{ gap: 2 }}>
            {t("apiKeys.rotateText")}
            {hasPrevious && <Alert severity="warning">{t("apiKeys.rotateAgain")}</Alert>}
            <TextField
              select
              label={t("apiKeys.overlap")}
              value={seconds}
              onChange={(event) => setSeconds(Number(event.target.value))}
            >
              {OVERLAPS.map((overlap) => (
                <MenuItem key={overlap.name} value={overlap.seconds}>
                  {t(`apiKeys.overlaps.${overlap.name}`)}
                </MenuItem>
              ))}
            </TextField>
          </Stack>
        </ConfirmDialog>
      )}
      {asked === "regenerate" && (
        <ConfirmDialog
          title={t("apiKeys.regenerateTitle", { name })}
          confirm={t("apiKeys.regenerate")}
          danger
          onConfirm={() => renew("regenerate")}
          onClose={() => setAsked(null)}
        >
          {t("apiKeys.regenerateText")}
        </ConfirmDialog>
      )}
      {value !== null && (
        <NewValueDialog name={name} value={value} onClose={() => setValue(null)} />
      )}
    </Panel>
  );
}
