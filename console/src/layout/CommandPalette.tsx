import AddOutlined from "@mui/icons-material/AddOutlined";
import SearchIcon from "@mui/icons-material/Search";
import Box from "@mui/material/Box";
import Dialog from "@mui/material/Dialog";
import InputBase from "@mui/material/InputBase";
import List from "@mui/material/List";
import ListItemButton from "@mui/material/ListItemButton";
import ListItemIcon from "@mui/material/ListItemIcon";
import ListItemText from "@mui/material/ListItemText";
import ListSubheader from "@mui/material/ListSubheader";
import Typography from "@mui/material/Typography";
import visuallyHidden from "@mui/utils/visuallyHidden";
import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { useNavigate } from "react-router";
import { type TextKey, useText } from "../i18n";
import { grants, useSession } from "../session/session";
import { MENU } from "./menu";
import { onOpenPalette } from "./palette";
import { type Found, useFound } from "./useFound";

const ACTIONS: { text: TextKey; path: string; permission: string }[] = [
  { text: "shell.palette.newUser", path: "/users/create", permission: "admin.users" },
  { text: "shell.palette.newServer", path: "/servers/create", permission: "admin.servers" },
  { text: "shell.palette.newRole", path: "/roles/create", permission: "admin.roles" },
  { text: "shell.palette.newPage", path: "/pages/create", permission: "admin.pages" },
  { text: "shell.palette.newInvoice", path: "/invoices/create", permission: "admin.payments" },
  { text: "shell.palette.newPromoCode", path: "/promo-codes/create", permission: "admin.payments" },
  { text: "shell.palette.newKey", path: "/api-keys/create", permission: "admin.api-keys" },
  { text: "shell.palette.newWebhook", path: "/webhooks/create", permission: "admin.webhooks" },
];

/** Ctrl-K: jumps to any page, user, server, page, invoice or action. */
export function CommandPalette() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => onOpenPalette(() => setOpen(true)), []);
  useEffect(() => {
    const listen = (event: globalThis.KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        setOpen(true);
      }
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);
  return isOpen ? <Opened onClose={() => setOpen(false)} /> : null;
}

function Opened({ onClose }: { onClose: () => void }) {
  const t = useText();
  const navigate = useNavigate();
  const session = useSession();
  const listId = useId();
  const titleId = useId();
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState(0);
  const words = query.trim().toLowerCase();
  const matches = (text: string) => text.toLowerCase().includes(words);

  const pages: Found[] = MENU.flatMap(({ items }) => items)
    .filter(({ permission }) => permission === undefined || grants(session, permission))
    .map(({ text, path, icon }) => ({ group: t("shell.palette.goTo"), text: t(text), path, icon }))
    .filter(({ text }) => matches(text));
  const actions: Found[] = ACTIONS.filter(({ permission }) => grants(session, permission))
    .map(({ text, path }) => ({
      group: t("shell.palette.actions"),
      text: t(text),
      path,
      icon: AddOutlined,
    }))
    .filter(({ text }) => matches(text));
  const found = [...useFound(query.trim()), ...pages, ...actions];
  const current = Math.min(chosen, found.length - 1);

  const go = (item: Found | undefined) => {
    if (item !== undefined) {
      onClose();
      void navigate(item.path);
    }
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) {
      event.preventDefault();
      setChosen((current + step + found.length) % found.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      go(found[current]);
    }
  };

  return (
    <Dialog
      open
      onClose={onClose}
      maxWidth="sm"
      fullWidth
      aria-labelledby={titleId}
      slotProps={{ paper: { sx: { position: "absolute", top: { xs: 8, sm: 96 }, m: 1 } } }}
    >
      <Box component="h2" id={titleId} sx={visuallyHidden}>
        {t("shell.palette.open")}
      </Box>
      <Box sx={{ display: "flex", alignItems: "center", gap: 1.5, px: 2, py: 1.5 }}>
        <SearchIcon color="action" />
        <InputBase
          autoFocus
          fullWidth
          value={query}
          placeholder={t("shell.palette.placeholder")}
          onChange={(event) => {
            setQuery(event.target.value);
            setChosen(0);
          }}
          onKeyDown={press}
          slotProps={{
            input: {
              role: "combobox",
              "aria-label": t("shell.palette.placeholder"),
              "aria-expanded": true,
              "aria-controls": listId,
              "aria-activedescendant": `${listId}-${current}`,
            },
          }}
        />
      </Box>
      <List
        id={listId}
        role="listbox"
        aria-label={t("shell.palette.open")}
        sx={{ maxHeight: 420, overflowY: "auto", borderTop: 1, borderColor: "divider", py: 0.5 }}
      >
        {found.map((item, index) => (
          <Box key={`${item.group}${item.path}`} role="presentation">
            {item.group !== found[index - 1]?.group && (
              <ListSubheader role="presentation" sx={{ lineHeight: 2.4 }}>
                {item.group}
              </ListSubheader>
            )}
            <ListItemButton
              id={`${listId}-${index}`}
              role="option"
              aria-selected={index === current}
              selected={index === current}
              tabIndex={-1}
              onClick={() => go(item)}
              sx={{ mx: 1, borderRadius: 1 }}
            >
              <ListItemIcon sx={{ minWidth: 36 }}>
                <item.icon fontSize="small" />
              </ListItemIcon>
              <ListItemText primary={item.text} secondary={item.detail} />
            </ListItemButton>
          </Box>
        ))}
      </List>
      {found.length === 0 && (
        <Typography color="textSecondary" sx={{ px: 3, py: 4 }}>
          {t("shell.palette.nothing", { query })}
        </Typography>
      )}
      <Typography
        variant="caption"
        color="textSecondary"
        sx={{ px: 2, py: 1, borderTop: 1, borderColor: "divider" }}
      >
        {t("shell.palette.help")}
      </Typography>
    </Dialog>
  );
}
