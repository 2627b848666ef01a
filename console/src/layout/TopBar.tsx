import MenuIcon from "@mui/icons-material/Menu";
import SearchIcon from "@mui/icons-material/Search";
import RefreshIcon from "@mui/icons-material/Refresh";
import {
  Avatar,
  Box,
  ButtonBase,
  CircularProgress,
  IconButton,
  Tooltip,
  Typography,
} from "@mui/material";
import { useIsFetching, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslate } from "react-admin";
import { useText } from "../i18n";
import { useConnected } from "../live/events";
import { useSession } from "../session/session";
import { openPalette } from "./CommandPalette";
import { AccountMenu } from "./later";

/** The bar on top of every page. On narrow screens it opens the menu. */
export function TopBar({ onOpenMenu }: { onOpenMenu: (() => void) | undefined }) {
  const t = useText();
  const isConnected = useConnected();
  const live = t(isConnected ? "shell.live.on" : "shell.live.off");
  return (
    <Box
      component="header"
      sx={{
        position: "sticky",
        top: 0,
        zIndex: "appBar",
        height: 60,
        px: { xs: 1.5, sm: 3 },
        display: "flex",
        alignItems: "center",
        gap: 1,
        borderBottom: 1,
        borderColor: "divider",
        bgcolor: "background.default",
      }}
    >
      {onOpenMenu !== undefined && (
        <IconButton onClick={onOpenMenu} aria-label={t("shell.openMenu")} edge="start">
          <MenuIcon />
        </IconButton>
      )}
      <ButtonBase
        onClick={openPalette}
        aria-keyshortcuts="Control+K"
        sx={{
          flexGrow: 1,
          maxWidth: 420,
          height: 38,
          px: 1.5,
          gap: 1,
          justifyContent: "flex-start",
          border: 1,
          borderColor: "divider",
          borderRadius: 1,
          bgcolor: "background.paper",
          color: "text.secondary",
          overflow: "hidden",
        }}
      >
        <SearchIcon fontSize="small" />
        <Typography variant="body2" noWrap sx={{ flexGrow: 1, textAlign: "left" }}>
          {t("shell.palette.open")}
        </Typography>
        <Typography
          variant="caption"
          aria-hidden
          sx={{
            display: { xs: "none", sm: "block" },
            px: 0.75,
            border: 1,
            borderColor: "divider",
            borderRadius: 0.75,
          }}
        >
          Ctrl K
        </Typography>
      </ButtonBase>
      <Box sx={{ flexGrow: 1 }} />
      <RefreshButton />
      <Tooltip title={live}>
        <Box
          role="status"
          aria-label={live}
          sx={{
            width: 10,
            height: 10,
            mx: 1,
            borderRadius: "50%",
            flexShrink: 0,
            bgcolor: isConnected ? "success.main" : "text.disabled",
          }}
        />
      </Tooltip>
      <AccountButton />
    </Box>
  );
}

/** Reads again what the page shows. It turns while something is being read. */
function RefreshButton() {
  const t = useTranslate();
  const queries = useQueryClient();
  const isLoading = useIsFetching() > 0;
  const label = t("ra.action.refresh");
  return (
    <Tooltip title={label}>
      <IconButton
        color="inherit"
        aria-label={label}
        onClick={() => void queries.invalidateQueries()}
      >
        {isLoading ? <CircularProgress aria-hidden color="inherit" size={24} /> : <RefreshIcon />}
      </IconButton>
    </Tooltip>
  );
}

/** Who is signed in. It opens a menu. */
function AccountButton() {
  const t = useText();
  const session = useSession();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const name = session?.operator?.username ?? session?.key?.name ?? "";
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
      {anchor !== null && (
        <AccountMenu name={name} anchor={anchor} onClose={() => setAnchor(null)} />
      )}
    </>
  );
}
