import Box from "@mui/material/Box";
import MenuItem from "@mui/material/MenuItem";
import TextField from "@mui/material/TextField";
import ToggleButton from "@mui/material/ToggleButton";
import ToggleButtonGroup from "@mui/material/ToggleButtonGroup";
import Typography from "@mui/material/Typography";
import { useSearchParams } from "react-router";
import { Panel } from "../../components/Panel";
import { useText } from "../../i18n";
import { MenuPreview } from "./MenuPreview";
import type { Entry, Tree } from "./tree";
import { useRoles } from "./useRoles";
import { countOf, menuOf, type Visitor } from "./visitor";

const DEVICES: Visitor["device"][] = ["desktop", "mobile"];

/** The menu as a visitor sees it. Who that is stands in the address. */
export function PreviewPanel({ tree, total }: { tree: Tree<Entry>; total: number }) {
  const t = useText();
  const { roles } = useRoles();
  const [params, setParams] = useSearchParams();
  const as = params.get("as") ?? "guest";
  const role = roles.find(({ id }) => String(id) === as)?.id ?? null;
  const visitor: Visitor = {
    isMember: as !== "guest",
    role,
    device: params.get("device") === "mobile" ? "mobile" : "desktop",
  };
  const menu = menuOf(tree, visitor);
  const set = (name: string, value: string) =>
    setParams(
      (current) => {
        const next = new URLSearchParams(current);
        next.set(name, value);
        return next;
      },
      { replace: true },
    );

  return (
    <Panel title={t("navigation.preview.title")} hint={t("navigation.preview.hint")}>
      <Box sx={{ display: "flex", flexWrap: "wrap", gap: 1.5, mb: 2 }}>
        <TextField
          select
          label={t("navigation.preview.as")}
          value={role === null && as !== "guest" ? "member" : as}
          onChange={(event) => set("as", event.target.value)}
          sx={{ flexGrow: 1, minWidth: 180 }}
        >
          <MenuItem value="guest">{t("navigation.preview.guest")}</MenuItem>
          <MenuItem value="member">{t("navigation.preview.member")}</MenuItem>
          {roles.map(({ id, name }) => (
            <MenuItem key={id} value={String(id)}>
              {t("navigation.preview.role", { name })}
            </MenuItem>
          ))}
        </TextField>
        <ToggleButtonGroup
          exclusive
          size="small"
          aria-label={t("navigation.preview.device")}
          value={visitor.device}
          onChange={(_, device: string | null) => device !== null && set("device", device)}
        >
          {DEVICES.map((device) => (
            <ToggleButton key={device} value={device} sx={{ textTransform: "none", px: 1.5 }}>
              {t(`navigation.preview.devices.${device}`)}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
      </Box>
      <MenuPreview menu={menu} device={visitor.device} />
      <Typography role="status" variant="body2" color="textSecondary" sx={{ mt: 1.5 }}>
        {t("navigation.preview.count", { smart_count: countOf(menu), total })}
      </Typography>
    </Panel>
  );
}
