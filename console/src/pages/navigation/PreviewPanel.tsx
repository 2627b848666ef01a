import OpenInNew from "@mui/icons-material/OpenInNew";
import { Box, MenuItem, TextField, Typography } from "@mui/material";
import { useRoles } from "../../components/useRoles";
import { Panel } from "../../components/Page";
import { ToggleButtons } from "../../components/ToggleButtons";
import { Muted } from "../../components/text";
import { useAddress } from "../../components/useAddress";
import { useText } from "../../i18n";
import { useTokens } from "../../theme/theme";
import type { Entry, Tree } from "./tree";
import { type Branch, countOf, menuOf, type Visitor } from "./visitor";

const DEVICES: Visitor["device"][] = ["desktop", "mobile"];

/** The menu as a visitor sees it. Who that is stands in the address. */
export function PreviewPanel({ tree, total }: { tree: Tree<Entry>; total: number }) {
  const t = useText();
  const roles = useRoles();
  const [params, change] = useAddress({ replace: true });
  const as = params.get("as") ?? "guest";
  const role = roles.find(({ id }) => String(id) === as)?.id ?? null;
  const visitor: Visitor = {
    isMember: as !== "guest",
    role,
    device: params.get("device") === "mobile" ? "mobile" : "desktop",
  };
  const menu = menuOf(tree, visitor);

  return (
    <Panel title={t("navigation.preview.title")} hint={t("navigation.preview.hint")}>
      <Box sx={{ display: "flex", flexWrap: "wrap", gap: 1.5, mb: 2 }}>
        <TextField
          select
          label={t("navigation.preview.as")}
          value={role === null && as !== "guest" ? "member" : as}
          onChange={(event) => change({ as: event.target.value })}
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
        <ToggleButtons
          aria-label={t("navigation.preview.device")}
          value={visitor.device}
          options={DEVICES}
          text={(device) => t(`navigation.preview.devices.${device}`)}
          onChange={(device) => change({ device })}
        />
      </Box>
      <MenuPreview menu={menu} device={visitor.device} />
      <Muted role="status" sx={{ mt: 1.5 }}>
        {t("navigation.preview.count", { smart_count: countOf(menu), total })}
      </Muted>
    </Panel>
  );
}

interface Props {
  menu: Branch[];
  device: Visitor["device"];
}

/** A menu with everything open: side by side on a desktop, one below the other on a phone. */
function MenuPreview({ menu, device }: Props) {
  const t = useText();
  const tokens = useTokens();
  const isPhone = device === "mobile";
  return (
    <Box
      component="nav"
      aria-label={t("navigation.preview.title")}
      sx={{
        border: isPhone ? 6 : 1,
        borderColor: "divider",
        borderRadius: isPhone ? 5 : 1,
        bgcolor: tokens.inset,
        maxWidth: isPhone ? 300 : "none",
        minHeight: isPhone ? 420 : 160,
        mx: "auto",
        p: 2,
      }}
    >
      {menu.length === 0 ? (
        <Typography color="textSecondary">{t("navigation.preview.nothing")}</Typography>
      ) : (
        <Box
          component="ul"
          sx={{
            m: 0,
            p: 0,
            listStyle: "none",
            display: "grid",
            gap: isPhone ? 1.5 : 2.5,
            gridTemplateColumns: isPhone
              ? "minmax(0, 1fr)"
              : "repeat(auto-fill, minmax(120px, 1fr))",
          }}
        >
          {menu.map((branch) => (
            <MenuBranch key={branch.item.id} branch={branch} level={0} />
          ))}
        </Box>
      )}
    </Box>
  );
}

function MenuBranch({ branch, level }: { branch: Branch; level: number }) {
  const { item, children } = branch;
  return (
    <li>
      <Typography
        component="span"
        sx={{
          fontSize: level === 0 ? 14.5 : 13.5,
          fontWeight: level === 0 ? 650 : 400,
          color: level === 0 ? "text.primary" : "text.secondary",
          overflowWrap: "anywhere",
        }}
      >
        {item.title}
        {item.new_tab && <OpenInNew sx={{ fontSize: 13, ml: 0.5, verticalAlign: "-2px" }} />}
      </Typography>
      {children.length > 0 && (
        <Box
          component="ul"
          sx={{ m: 0, mt: 0.5, p: 0, pl: level === 0 ? 0 : 1.5, listStyle: "none" }}
        >
          {children.map((child) => (
            <MenuBranch key={child.item.id} branch={child} level={level + 1} />
          ))}
        </Box>
      )}
    </li>
  );
}
