import Alert from "@mui/material/Alert";
import { useInput } from "react-admin";
import { useText } from "../../i18n";
import { PermissionPicker, type Preset } from "../PermissionPicker";
import { covers, type Permission } from "./areas";
import { useCatalogue } from "./useCatalogue";

interface Props {
  limited?: boolean;
  disabled?: boolean;
  presets?: readonly Preset[];
}

/** The input `permissions` of a form. */
export function PermissionsInput({ limited, disabled, presets }: Props) {
  const t = useText();
  const { data: catalogue } = useCatalogue();
  const { field, fieldState, formState } = useInput<{ permissions: Permission[] }>({
    source: "permissions",
  });
  const before = (formState.defaultValues?.["permissions"] ?? []) as Permission[];
  const hadAll = catalogue?.every(({ name }) => covers(before, name)) === true;
  return (
    <>
      {fieldState.error !== undefined && <Alert severity="error">{fieldState.error.message}</Alert>}
      {hadAll && fieldState.isDirty && limited === true && (
        <Alert severity="warning">{t("permissions.allHint")}</Alert>
      )}
      <PermissionPicker
        value={(field.value ?? []) as Permission[]}
        onChange={field.onChange}
        {...(limited !== undefined && { limited })}
        {...(disabled !== undefined && { disabled })}
        {...(presets !== undefined && { presets })}
      />
    </>
  );
}
