import { Alert, Snackbar } from "@mui/material";
import { type ReactNode, useState } from "react";
import {
  CloseNotificationContext,
  type NotificationPayload,
  useNotificationContext,
  useTranslate,
} from "react-admin";

const SHOWN_MS = 5000;

/**
 * Short news after an action, at the bottom of the screen. The newest replaces the one before it,
 * which would otherwise hold it back.
 */
export function Toast() {
  const translate = useTranslate();
  const { notifications, resetNotifications } = useNotificationContext();
  const [closed, setClosed] = useState<NotificationPayload | null>(null);
  const newest = notifications.at(-1);

  if (newest === undefined) {
    return null;
  }
  const { message, type, notificationOptions } = newest;
  const close = () => setClosed(newest);
  return (
    <CloseNotificationContext.Provider value={close}>
      <Snackbar
        key={notifications.length}
        open={newest !== closed}
        autoHideDuration={notificationOptions?.autoHideDuration ?? SHOWN_MS}
        onClose={(_, reason) => reason !== "clickaway" && close()}
        anchorOrigin={{ vertical: "bottom", horizontal: "center" }}
        slotProps={{ transition: { onExited: resetNotifications } }}
      >
        <Alert
          variant="filled"
          severity={severityOf(type)}
          action={notificationOptions?.["action"] as ReactNode}
          sx={{ alignItems: "center", whiteSpace: "pre-wrap" }}
        >
          {typeof message === "string"
            ? translate(message, notificationOptions?.messageArgs as object | undefined)
            : message}
        </Alert>
      </Snackbar>
    </CloseNotificationContext.Provider>
  );
}

function severityOf(type: NotificationPayload["type"]) {
  return type === "success" || type === "warning" || type === "error" ? type : "info";
}
