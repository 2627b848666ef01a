import LogoutOutlined from "@mui/icons-material/LogoutOutlined";
import ShieldOutlined from "@mui/icons-material/ShieldOutlined";
import Avatar from "@mui/material/Avatar";
import Divider from "@mui/material/Divider";
import IconButton from "@mui/material/IconButton";
import ListItemIcon from "@mui/material/ListItemIcon";
import ListSubheader from "@mui/material/ListSubheader";
import Menu from "@mui/material/Menu";
import MenuItem from "@mui/material/MenuItem";
import Tooltip from "@mui/material/Tooltip";
import { useState } from "react";
import { useLocaleState, useLogout } from "react-admin";
import { useNavigate } from "react-router";
import { LANGUAGES, useText } from "../i18n";
import { sessionStore, useSession } from "../session/session";
import { THEMES, useThemeChoice } from "./themeChoice";

/** Who is signed in, the language and the theme. */
export function AccountMenu() {
  const t = useText();
  const session = useSession();
  const logout = useLogout();
  const navigate = useNavigate();
  const [locale, setLocale] = useLocaleState();
  const [choice, setChoice] = useThemeChoice();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const name = session?.operator?.username ?? session?.key?.name ?? "";
  const close = () => setAnchor(null);

  return (
    <>
      <Tooltip title={t("shell.account.menu")}>
        <IconButton
          onClick={(event) => setAnchor(event.currentTarget)}
          aria-label={t("shell.account.menu")}
          aria-haspopup="menu"
          aria-expanded={anchor !== null}
          size="small"
        >
          <Avatar
            sx={{ width: 32, height: 32, fontSize: 14, fontWeight: 650, bgcolor: "primary.main" }}
          >
            {name.slice(0, 1).toUpperCase()}
          </Avatar>
        </IconButton>
      </Tooltip>
      <Menu anchorEl={anchor} open={anchor !== null} onClose={close}>
        <ListSubheader sx={{ lineHeight: 2.5, bgcolor: "transparent" }}>
          {t("shell.account.signedInAs", { name })}
        </ListSubheader>
        <MenuItem
          onClick={() => {
            close();
            void navigate("/account");
          }}
        >
          <ListItemIcon>
            <ShieldOutlined fontSize="small" />
          </ListItemIcon>
          {t("shell.items.account")}
        </MenuItem>
        <Divider />
        <ListSubheader sx={{ lineHeight: 2.5, bgcolor: "transparent" }}>
          {t("shell.account.language")}
        </ListSubheader>
        {LANGUAGES.map((language) => (
          <MenuItem
            key={language.locale}
            role="menuitemradio"
            aria-checked={locale === language.locale}
            selected={locale === language.locale}
            lang={language.locale}
            onClick={() => {
              setLocale(language.locale);
              close();
            }}
          >
            {language.name}
          </MenuItem>
        ))}
        <Divider />
        <ListSubheader sx={{ lineHeight: 2.5, bgcolor: "transparent" }}>
          {t("shell.account.theme")}
        </ListSubheader>
        {THEMES.map(({ value, text }) => (
          <MenuItem
            key={value}
            role="menuitemradio"
            aria-checked={choice === value}
            selected={choice === value}
            onClick={() => {
              setChoice(value);
              close();
            }}
          >
            {t(text)}
          </MenuItem>
        ))}
        <Divider />
        <MenuItem
          onClick={() => {
            close();
            void sessionStore.signOut().then(() => logout());
          }}
        >
          <ListItemIcon>
            <LogoutOutlined fontSize="small" />
          </ListItemIcon>
          {t("shell.account.signOut")}
        </MenuItem>
      </Menu>
    </>
  );
}
