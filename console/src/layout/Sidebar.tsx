import {
  Box,
  List,
  ListItem,
  ListItemButton,
  ListItemIcon,
  ListItemText,
  Typography,
} from "@mui/material";
import { Link, useLocation } from "react-router";
import { useText } from "../i18n";
import { preload } from "../pages";
import { grants, useSessionSnapshot } from "../session/session";
import { Logo } from "./Logo";
import { MENU } from "./menu";

/** The pages that the signed-in person may open. */
export function Sidebar({ onNavigate }: { onNavigate: () => void }) {
  const t = useText();
  const { session, needsTwoFactor } = useSessionSnapshot();
  const { pathname } = useLocation();
  const isOpen = (path: string) =>
    path === "/" ? pathname === "/" : pathname === path || pathname.startsWith(`${path}/`);
  const groups = MENU.map((group) => ({
    ...group,
    items: group.items.filter(({ path, permission }) =>
      needsTwoFactor
        ? path === "/account"
        : permission === undefined || grants(session, permission),
    ),
  })).filter(({ items }) => items.length > 0);

  return (
    <Box
      component="nav"
      aria-label={t("shell.menu")}
      sx={{
        px: 1.5,
        pb: 1,
        // The whole menu fits on a screen of 720 px.
        "--menu-gap": "12px",
        "--menu-row": "7px",
        "--menu-heading": "24px",
        "--menu-top": "60px",
        "@media (max-height: 940px)": { "--menu-gap": "4px", "--menu-row": "4px" },
        "@media (max-height: 790px)": {
          "--menu-gap": "0px",
          "--menu-row": "2px",
          "--menu-heading": "17px",
          "--menu-top": "52px",
        },
      }}
    >
      <Box sx={{ px: 1, height: "var(--menu-top)", display: "flex", alignItems: "center" }}>
        <Logo />
      </Box>
      {groups.map((group) => (
        <Box key={group.text} sx={{ mb: "var(--menu-gap)" }}>
          <Typography
            variant="overline"
            component="h2"
            sx={{
              px: 1.25,
              color: "text.secondary",
              display: "block",
              lineHeight: "var(--menu-heading)",
            }}
          >
            {t(group.text)}
          </Typography>
          <List disablePadding>
            {group.items.map(({ text, path, icon: Icon }) => (
              <ListItem key={path} disablePadding>
                <ListItemButton
                  component={Link}
                  to={path}
                  onClick={onNavigate}
                  onPointerEnter={() => preload(path)}
                  onFocus={() => preload(path)}
                  selected={isOpen(path)}
                  aria-current={isOpen(path) ? "page" : undefined}
                  sx={{
                    borderRadius: 1,
                    px: 1.25,
                    py: "var(--menu-row)",
                    "&.Mui-selected": { color: "primary.main", "& svg": { color: "primary.main" } },
                  }}
                >
                  <ListItemIcon sx={{ minWidth: 32 }}>
                    <Icon sx={{ fontSize: 20 }} />
                  </ListItemIcon>
                  <ListItemText
                    primary={t(text)}
                    sx={{ my: 0 }}
                    slotProps={{
                      primary: { sx: { fontSize: 14, fontWeight: isOpen(path) ? 600 : 450 } },
                    }}
                  />
                </ListItemButton>
              </ListItem>
            ))}
          </List>
        </Box>
      ))}
    </Box>
  );
}
