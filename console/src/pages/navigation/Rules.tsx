import Box from "@mui/material/Box";
import { State } from "../../components/State";
import { useText } from "../../i18n";
import type { Entry } from "./tree";
import { isForNobody } from "./visitor";

/** Who sees an item, if not everyone does. */
export function Rules({ entry }: { entry: Entry }) {
  const t = useText();
  if (isForNobody(entry)) {
    return <State tone="bad" text={t("navigation.forNobody")} />;
  }
  return (
    <Box component="span" sx={{ display: "inline-flex", flexWrap: "wrap", gap: 0.5, my: 0.25 }}>
      {entry.visibility !== "all" && (
        <State tone="neutral" text={t(`navigation.devices.${entry.visibility}`)} />
      )}
      {entry.visible_only_for_guests && (
        <State tone="accent" text={t("navigation.audiences.guests")} />
      )}
      {entry.visible_only_for_logged_in && (
        <State tone="accent" text={t("navigation.audiences.members")} />
      )}
      {entry.roles.map(({ id, name }) => (
        <State key={id} tone="warn" text={name} />
      ))}
    </Box>
  );
}
