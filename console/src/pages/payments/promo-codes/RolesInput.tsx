import { AutocompleteArrayInput, ReferenceArrayInput } from "react-admin";
import { useText } from "../../../i18n";
import { useCan } from "../../../session/session";

/** The roles whose holders may use a code. Those who may not read roles leave them as they are. */
export function RolesInput({ source, label }: { source: string; label: string }) {
  const t = useText();
  const canRead = useCan("admin.roles.read");
  if (!canRead) {
    return null;
  }
  return (
    <ReferenceArrayInput
      source={source}
      reference="roles"
      perPage={100}
      queryOptions={{ meta: { of: "list" } }}
    >
      <AutocompleteArrayInput
        label={label}
        optionText="name"
        filterToQuery={() => ({})}
        helperText={t("payments.promoCodes.rolesHint")}
      />
    </ReferenceArrayInput>
  );
}
