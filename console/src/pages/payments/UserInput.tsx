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
        optionText={({ username, email }: Schemas["UserItem"]) => `${username} (${email})`}
        inputText={({ username }: Schemas["UserItem"]) => username}
        matchSuggestion={() => true}
        filterToQuery={(typed: string) => {
          const words = typed.trim();
          return words.length < SHORTEST ? {} : { q: words };
        }}
        {...(validate && { validate })}
      />
    </ReferenceInput>
  );
}
