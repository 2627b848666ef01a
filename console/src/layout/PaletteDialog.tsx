import AddOutlined from "@mui/icons-material/AddOutlined";
import SearchIcon from "@mui/icons-material/Search";
import {
  Box,
  Dialog,
  InputBase,
  List,
  ListItemButton,
  ListItemIcon,
  ListItemText,
  ListSubheader,
  Typography,
} from "@mui/material";
import visuallyHidden from "@mui/utils/visuallyHidden";
import { type KeyboardEvent, useId, useState } from "react";
import { useNavigate } from "react-router";
import { type TextKey, useText } from "../i18n";
import { grants, useSession } from "../session/session";
import { MENU } from "./menu";
import { type Found, useFound } from "./useFound";

const ACTIONS: { text: TextKey; path: string; permission: string }[] = [
  { text: "lists.create.users", path: "/users/create", permission: "admin.users" },
  { text: "lists.create.bans", path: "/bans/create", permission: "admin.bans" },
  { text: "shell.palette.newServer", path: "/servers/create", permission: "admin.servers" },
  { text: "lists.create.roles", path: "/roles/create", permission: "admin.roles" },
  { text: "lists.create.pages", path: "/pages/create", permission: "admin.pages" },
  { text: "lists.create.invoices", path: "/invoices/create", permission: "admin.payments" },
  { text: "lists.create.promo-codes", path: "/promo-codes/create", permission: "admin.payments" },
  { text: "lists.create.api-keys", path: "/api-keys/create", permission: "admin.api-keys" },
  { text: "shell.palette.newWebhook", path: "/webhooks/create", permission: "admin.webhooks" },
];

/** Jumps to any page, user, server, page, invoice or action. */
export function PaletteDialog({ onClose }: { onClose: () => void }) {
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
      group: t("common.actions"),
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
