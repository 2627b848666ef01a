import { Alert, Button, MenuItem, Stack, TextField } from "@mui/material";
import { useState } from "react";
import { useRefresh } from "react-admin";
import { request, type Schemas } from "../../api/client";
import { ETAG } from "../../api/dataProvider";
import { ConfirmButton } from "../../components/ConfirmDialog";
import { CopyField } from "../../components/CopyField";
import { Modal } from "../../components/Modal";
import { Panel } from "../../components/Page";
import { useText } from "../../i18n";
import { type ApiKey, isFuture } from "./attention";

const OVERLAPS = [
  { name: "hour", seconds: 3600 },
  { name: "day", seconds: 86_400 },
  { name: "threeDays", seconds: 259_200 },
  { name: "week", seconds: 604_800 },
] as const;

interface Props {
  apiKey: ApiKey;
  /** Until when the value before the last rotation is valid. */
  previousUntil: string | null;
}

/** Gives a key a new value: with an overlap, or at once. */
export function NewValuePanel({ apiKey, previousUntil }: Props) {
  const t = useText();
  const refresh = useRefresh();
  const [seconds, setSeconds] = useState<number>(86_400);
  const [value, setValue] = useState<string | null>(null);
  const { id, name } = apiKey;

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
        <ConfirmButton
          text={t("apiKeys.rotate")}
          button={{ variant: "outlined" }}
          title={t("apiKeys.rotateTitle", { name })}
          confirm={t("apiKeys.rotate")}
          onConfirm={() => renew("rotate")}
        >
          <Stack sx={{ gap: 2 }}>
            {t("apiKeys.rotateText")}
            {isFuture(previousUntil) && (
              <Alert severity="warning">{t("apiKeys.rotateAgain")}</Alert>
            )}
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
        </ConfirmButton>
        <ConfirmButton
          text={t("apiKeys.regenerate")}
          button={{ variant: "outlined", color: "error" }}
          title={t("apiKeys.regenerateTitle", { name })}
          confirm={t("apiKeys.regenerate")}
          danger
          onConfirm={() => renew("regenerate")}
        >
          {t("apiKeys.regenerateText")}
        </ConfirmButton>
      </Stack>
      {value !== null && (
        <NewValueDialog name={name} value={value} onClose={() => setValue(null)} />
      )}
    </Panel>
  );
}

interface NewValueDialogProps {
  name: string;
  value: string;
  onClose: () => void;
}

/** Shows a value once. Only the button closes it: a click beside it would lose the value. */
function NewValueDialog({ name, value, onClose }: NewValueDialogProps) {
  const t = useText();
  return (
    <Modal
      title={t("apiKeys.newValueTitle", { name })}
      width="sm"
      actions={
        <Button variant="contained" onClick={onClose}>
          {t("common.close")}
        </Button>
      }
    >
      <Stack sx={{ gap: 2 }}>
        <Alert severity="warning">{t("common.shownOnce")}</Alert>
        <CopyField label={t("apiKeys.value")} value={value} />
      </Stack>
    </Modal>
  );
}
