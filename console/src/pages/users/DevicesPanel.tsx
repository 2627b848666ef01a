import DeleteOutlined from "@mui/icons-material/DeleteOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import Tooltip from "@mui/material/Tooltip";
import Typography from "@mui/material/Typography";
import { useState } from "react";
import { TextInput, useNotify, useRefresh } from "react-admin";
import { api, body, type Schemas } from "../../api/client";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { FormDialog } from "../../components/form/FormDialog";
import { When } from "../../components/When";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { Entries } from "./Entries";
import { ifMatch } from "./ifMatch";
import type { User } from "./types";

type Device = Schemas["DeviceItem"];

/** Where the user is signed in. */
export function DevicesPanel({ user }: { user: User }) {
  const t = useText();
  const mayWrite = useCan("admin.users");
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Device | null>(null);
  return (
    <>
      <Entries
        title={t("users.devices.title")}
        hint={t("users.devices.hint")}
        actions={
          mayWrite && <Button onClick={() => setAdding(true)}>{t("users.devices.add")}</Button>
        }
        queryKey={["users", user.id, "devices"]}
        read={async () => {
          const params = { path: { id: user.id } };
          return (await body(api.GET("/api/users/{id}/devices", { params }))).devices;
        }}
        empty={t("users.devices.none")}
        entry={(device) => (
          <Box sx={{ display: "flex", alignItems: "center", gap: 1 }}>
            <Box sx={{ flexGrow: 1, minWidth: 0 }}>
              <Typography variant="body2" sx={{ fontWeight: 550, overflowWrap: "anywhere" }}>
                {device.name}
              </Typography>
              <Typography
                variant="caption"
                color="textSecondary"
                component="div"
                sx={{ overflowWrap: "anywhere" }}
              >
                {t("users.devices.lastActive")} <When at={device.last_active} /> ·{" "}
                {device.user_agent}
              </Typography>
            </Box>
            {mayWrite && (
              <Tooltip title={t("common.remove")}>
                <IconButton
                  aria-label={`${t("common.remove")}: ${device.name}`}
                  onClick={() => setRemoved(device)}
                >
                  <DeleteOutlined fontSize="small" />
                </IconButton>
              </Tooltip>
            )}
          </Box>
        )}
      />
      {isAdding && <AddDevice user={user} onClose={() => setAdding(false)} />}
      {removed !== null && (
        <RemoveDevice user={user} device={removed} onClose={() => setRemoved(null)} />
      )}
    </>
  );
}

function AddDevice({ user, onClose }: { user: User; onClose: () => void }) {
  const t = useText();
  const notify = useNotify();
  const refresh = useRefresh();
  return (
    <FormDialog
      title={t("users.devices.add")}
      fields={["name", "user_agent"]}
      submit={t("common.create")}
      save={async (values) => {
        const { name, user_agent } = values as Partial<Schemas["NewDevice"]>;
        await api.POST("/api/users/{id}/devices", {
          params: { path: { id: user.id }, header: ifMatch(user) },
          body: { name: name ?? "", user_agent: user_agent ?? "" },
        });
        refresh();
        notify(t("common.created"), { type: "success" });
      }}
      onClose={onClose}
    >
      <Typography variant="body2" color="textSecondary">
        {t("users.devices.addText")}
      </Typography>
      <TextInput source="name" label={t("common.name")} autoFocus helperText={false} />
      <TextInput
        source="user_agent"
        label={t("users.devices.userAgent")}
        helperText={t("users.devices.userAgentHint")}
      />
    </FormDialog>
  );
}

interface RemoveProps {
  user: User;
  device: Device;
  onClose: () => void;
}

function RemoveDevice({ user, device, onClose }: RemoveProps) {
  const t = useText();
  const notify = useNotify();
  const refresh = useRefresh();
  return (
    <ConfirmDialog
      title={t("users.devices.removeTitle", { name: device.name })}
      confirm={t("common.remove")}
      danger
      onConfirm={async () => {
        await api.DELETE("/api/users/{userId}/devices/{deviceId}", {
          params: { path: { userId: user.id, deviceId: device.id }, header: ifMatch(user) },
        });
        refresh();
        notify(t("common.deleted"), { type: "success" });
      }}
      onClose={onClose}
    >
      {t("users.devices.removeText")}
    </ConfirmDialog>
  );
}
