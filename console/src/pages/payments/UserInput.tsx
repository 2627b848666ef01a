import { AutocompleteInput, NumberInput, ReferenceInput, type Validator } from "react-admin";
import type { Schemas } from "../../api/client";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";

/** The service searches for three characters and more. */
const SHORTEST = 3;

interface Props {
  source: string;
  validate?: Validator;
}

/** A user, found while typing. Without access to users, it is the number of one. */
export function UserInput({ source, validate }: Props) {
  const t = useText();
  const canSearch = useCan("admin.users.read");
  if (!canSearch) {
    return (
      <NumberInput
        source={source}
        label={t("payments.userNumber")}
        min={1}
        helperText={false}
        {...(validate && { validate })}
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
        label={t("payments.user")}
        optionText={nameAndEmail}
        inputText={nameOnly}
        filterToQuery={searchFor}
        helperText={false}
        {...(validate && { validate })}
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
  const words = typed.trim();
  return words.length < SHORTEST ? {} : { q: words };
}
