import type { ComponentProps } from "react";
import { request } from "../../api/client";
import type { ETAG } from "../../api/dataProvider";
import { RESOURCES } from "../../api/resources";
import { useText } from "../../i18n";
import { EditForm } from "../form/EditForm";
import { Panel } from "../Page";
import { type Permission, useShowPermissions } from "./permissions";
import { PermissionsInput } from "./PermissionsInput";

interface Props extends ComponentProps<typeof PermissionsInput> {
  resource: "roles" | "api-keys";
  record: { id: number; permissions: Permission[]; [ETAG]?: string };
  hint: string;
  disabled: boolean;
  onSaved?: () => void;
}

/** The permissions of a record that are saved apart from its other fields. */
export function PermissionsPanel({ resource, record, hint, onSaved, ...input }: Props) {
  const t = useText();
  const show = useShowPermissions();
  return (
    <Panel title={t("permissions.title")} hint={hint}>
      <EditForm<Props["record"]>
        resource={resource}
        record={record}
        fields={{ permissions: t("permissions.title") }}
        readOnly={input.disabled}
        show={show}
        save={({ permissions }, ifMatch) =>
          request("PUT", `${RESOURCES[resource].path}/${record.id}/permissions`, {
            body: { permission_ids: (permissions as Permission[]).map(({ id }) => id) },
            ifMatch,
          })
        }
        {...(onSaved && { onSaved })}
      >
        <PermissionsInput {...input} />
      </EditForm>
    </Panel>
  );
}
