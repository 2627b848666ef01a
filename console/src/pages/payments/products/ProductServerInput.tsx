import { SelectInput } from "react-admin";
import type { Schemas } from "../../../api/client";
import { useText } from "../../../i18n";
import { useServerName } from "../choices";

/** The server that a product is for, if the buyer chooses one. */
export function ProductServerInput({ product }: { product: Schemas["ProductItem"] | undefined }) {
  const t = useText();
  const serverName = useServerName();
  if (product?.choose_server !== true) {
    return null;
  }
  const ids = [...new Set(product.steps.flatMap(({ server_ids = [] }) => server_ids))];
  return (
    <SelectInput
      source="server_id"
      label={t("grants.server")}
      choices={ids.map((id) => ({ id, name: serverName(id) }))}
      translateChoice={false}
      helperText={false}
      isRequired
    />
  );
}
