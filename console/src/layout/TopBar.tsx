import MenuIcon from "@mui/icons-material/Menu";
import SearchIcon from "@mui/icons-material/Search";
import Box from "@mui/material/Box";
import ButtonBase from "@mui/material/ButtonBase";
import IconButton from "@mui/material/IconButton";
import Tooltip from "@mui/material/Tooltip";
import Typography from "@mui/material/Typography";
import { LoadingIndicator } from "react-admin";
import { useText } from "../i18n";
import { useConnected } from "../live/events";
import { AccountMenu } from "./AccountMenu";
import { openPalette } from "./palette";

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
      <LoadingIndicator />
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
      <AccountMenu />
    </Box>
  );
}
