import Alert from "@mui/material/Alert";
import { useWatch } from "react-hook-form";
import { EditForm } from "../../components/form/EditForm";
import { Panel } from "../../components/Panel";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { ServerFields } from "./ServerFields";
import { MASK, type Server } from "./types";

export function SettingsPanel({ server }: { server: Server }) {
  const t = useText();
  const canWrite = useCan("admin.servers");
  return (
    <Panel title={t("servers.settings")}>
      <EditForm<Server>
        resource="servers"
        record={server}
        readOnly={!canWrite}
        fields={{
          name: t("common.name"),
          game: t("servers.fields.game"),
          ip: t("servers.fields.ip"),
          port: t("servers.fields.port"),
          query_port: t("servers.fields.queryPort"),
          rcon_password: t("servers.fields.rconPassword"),
        }}
      >
        <ServerFields isNew={false} />
        <PasswordWarning server={server} />
      </EditForm>
    </Panel>
  );
}

/** The service never sends a stored password to another address than the one it was entered for. */
function PasswordWarning({ server }: { server: Server }) {
  const t = useText();
  const [ip, port, password] = useWatch({ name: ["ip", "port", "rcon_password"] }) as unknown[];
  const isMoved = ip !== server.ip || port !== server.port;
  return isMoved && password === MASK ? (
    <Alert severity="warning">{t("servers.form.passwordLost")}</Alert>
  ) : null;
}
