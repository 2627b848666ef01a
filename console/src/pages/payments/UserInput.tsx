import { AutocompleteInput, NumberInput, ReferenceInput } from "react-admin";
import type { Schemas } from "../../api/client";
import { searchOf } from "../../api/lists";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";

interface Props {
  source: string;
  required?: boolean;
  label?: string;
  hint?: string;
}

/** A user, found while typing. Without access to users, it is the number of one. */
export function UserInput({ source, required = false, label, hint }: Props) {
  const t = useText();
  const canSearch = useCan("admin.users.read");
  if (!canSearch) {
    return (
      <NumberInput
        source={source}
        label={label ?? t("payments.userNumber")}
        helperText={hint ?? false}
        required={required}
      />
    );
  }
  return (
    <ReferenceInput
      source={source}
      reference="users"
      perPage={10}
      sort={{ field: "username", order: "ASC" }}
      queryOptions={{ meta: { of: "list" } }}
    >
      <AutocompleteInput
        label={label ?? t("common.user")}
        TextFieldProps={{ required, placeholder: t("common.findUser") }}
        optionText={nameAndEmail}
        inputText={nameOnly}
        filterToQuery={searchFor}
        helperText={hint ?? false}
      />
    </ReferenceInput>
  );
}

// Outside of the component: with another function at each rendering, the input would take back what
// is being typed.
function nameAndEmail({ username, email }: Schemas["UserItem"]): string {
  return `${username} (${email})`;
}

function nameOnly({ username }: Schemas["UserItem"]): string {
  return username;
}

function searchFor(typed: string): { q?: string } {
  const q = searchOf({ q: typed });
  return q === null ? {} : { q };
}
