import LogoutOutlined from "@mui/icons-material/LogoutOutlined";
import ShieldOutlined from "@mui/icons-material/ShieldOutlined";
import { Divider, ListItemIcon, ListSubheader, Menu, MenuItem } from "@mui/material";
import type { ReactNode } from "react";
import { useLocaleState, useLogout } from "react-admin";
import { useNavigate } from "react-router";
import { LANGUAGES, useText } from "../i18n";
import { sessionStore } from "../session/session";
import { THEMES, useThemeChoice } from "../theme/choice";

interface Props {
  name: string;
  /** The button under which it opens. */
  anchor: HTMLElement;
  onClose: () => void;
}

/** Who is signed in, the language and the theme. */
export function AccountMenu({ name, anchor, onClose: close }: Props) {
  const t = useText();
  const logout = useLogout();
  const navigate = useNavigate();
  const [locale, setLocale] = useLocaleState();
  const [choice, setChoice] = useThemeChoice();
  const option = (isChosen: boolean, choose: () => void) => ({
    role: "menuitemradio",
    "aria-checked": isChosen,
    selected: isChosen,
    onClick: () => {
      choose();
      close();
    },
  });

  return (
    <Menu anchorEl={anchor} open onClose={close}>
      <Heading>{t("shell.account.signedInAs", { name })}</Heading>
      <MenuItem
        onClick={() => {
          close();
          void navigate("/account");
        }}
      >
        <ListItemIcon>
          <ShieldOutlined fontSize="small" />
        </ListItemIcon>
        {t("account.title")}
      </MenuItem>
      <Divider />
      <Heading>{t("shell.account.language")}</Heading>
      {LANGUAGES.map((language) => (
        <MenuItem
          key={language.locale}
          lang={language.locale}
          {...option(locale === language.locale, () => setLocale(language.locale))}
        >
          {language.name}
        </MenuItem>
      ))}
      <Divider />
      <Heading>{t("shell.account.theme")}</Heading>
      {THEMES.map(({ value, text }) => (
        <MenuItem key={value} {...option(choice === value, () => setChoice(value))}>
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
  );
}

function Heading({ children }: { children: ReactNode }) {
  return <ListSubheader sx={{ lineHeight: 2.5, bgcolor: "transparent" }}>{children}</ListSubheader>;
}
