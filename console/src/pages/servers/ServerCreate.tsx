import { useState } from "react";
import { api, body, type Schemas } from "../../api/client";
import { CreateForm } from "../../components/form/CreateForm";
import type { Values } from "../../components/form/conflict";
import { Page } from "../../components/Page";
import { Panel } from "../../components/Panel";
import { useText } from "../../i18n";
import { ServerFields } from "./ServerFields";
import { TrialResult } from "./TrialResult";
import type { Live } from "./types";

const FIELDS = ["name", "game", "ip", "port", "query_port", "rcon_password"];

interface Trial {
  id: number;
  live: Live;
}

/**
 * Adds a server. The service queries stored servers only, so the server is saved first, then
 * queried at once. If it does not answer, the form stays: a correction changes the saved server and
 * queries it again, and the person can also keep or delete it as it is.
 */
export function ServerCreate() {
  const t = useText();
  const [saved, setSaved] = useState<number | null>(null);
  const [trial, setTrial] = useState<Trial | null>(null);

  const store = async (values: Values): Promise<number> => {
    if (saved === null) {
      const { server } = await body(
        api.POST("/api/servers", { body: values as Schemas["NewServer"] }),
      );
      setSaved(server.id);
      return server.id;
    }
    await api.PUT("/api/servers/{id}", {
      params: { path: { id: saved } },
      body: values as Schemas["ServerChanges"],
    });
    return saved;
  };

  const create = async (values: Values) => {
    setTrial(null);
    const id = await store(values);
    const { live } = await body(api.POST("/api/servers/{id}/query", { params: { path: { id } } }));
    setTrial({ id, live });
    return undefined;
  };

  return (
    <Page
      narrow
      title={t("servers.create.title")}
      subtitle={t("servers.create.hint")}
      back={{ to: "/servers", text: t("servers.title") }}
    >
      {trial !== null && <TrialResult {...trial} />}
      <Panel>
        <CreateForm
          fields={FIELDS}
          submit={t(saved === null ? "servers.create.submit" : "servers.create.again")}
          create={create}
        >
          <ServerFields isNew />
        </CreateForm>
      </Panel>
    </Page>
  );
}
