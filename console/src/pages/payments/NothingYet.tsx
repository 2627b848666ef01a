import { Alert } from "@mui/material";
import { RouteLink } from "../../components/links";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";

const RIGHTS = {
  currencies: "admin.currencies",
  gateways: "admin.payments",
  roles: "admin.roles",
} as const;

interface Props {
  of: keyof typeof RIGHTS;
}

/** Says that there is nothing to choose from, and leads to where it is added. */
export function NothingYet({ of: resource }: Props) {
  const t = useText();
  const mayAdd = useCan(RIGHTS[resource]);
  return (
    <Alert severity="info">
      {t(`lists.empty.${resource}`)}.
      {mayAdd && <RouteLink to={`/${resource}/create`}> {t(`lists.create.${resource}`)}</RouteLink>}
    </Alert>
  );
}
