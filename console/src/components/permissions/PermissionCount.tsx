import { useText } from "../../i18n";
import { State } from "../State";
import { covers, type Permission } from "./areas";
import { useCatalogue } from "./useCatalogue";

/** How many permissions are held, together with those that they include. */
export function PermissionCount({ permissions }: { permissions: readonly Permission[] }) {
  const t = useText();
  const { data: catalogue } = useCatalogue();
  const count = catalogue?.filter(({ name }) => covers(permissions, name)).length;
  if (count === undefined) {
    return null;
  }
  if (count === 0) {
    return <State tone="neutral" text={t("permissions.nothing")} />;
  }
  return count === catalogue?.length ? (
    <State tone="accent" text={t("permissions.every")} />
  ) : (
    t("permissions.count", { smart_count: count })
  );
}
