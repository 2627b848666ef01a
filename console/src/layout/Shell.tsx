import Box from "@mui/material/Box";
import Drawer from "@mui/material/Drawer";
import useMediaQuery from "@mui/material/useMediaQuery";
import { type ReactNode, Suspense, useState } from "react";
import { Navigate, useLocation } from "react-router";
import { PageSkeleton } from "../components/PageSkeleton";
import { useText } from "../i18n";
import { useDocumentLanguage } from "../i18n/useDocumentLanguage";
import { LiveUpdates } from "../live/LiveUpdates";
import { RenewDialog } from "../session/RenewDialog";
import { useSessionSnapshot } from "../session/session";
import { Access } from "./Access";
import { CommandPalette } from "./CommandPalette";
import { CrashBoundary } from "./Crash";
import { Sidebar } from "./Sidebar";
import { TopBar } from "./TopBar";

const SIDEBAR_WIDTH = 232;

/** What stays while pages come and go: the sidebar, the bar on top, and what is above everything. */
export function Shell({ children }: { children: ReactNode }) {
  const t = useText();
  useDocumentLanguage();
  const isWide = useMediaQuery("(min-width: 1000px)");
  const [isMenuOpen, setMenuOpen] = useState(false);
  const { pathname } = useLocation();
  const { needsTwoFactor } = useSessionSnapshot();
  const close = () => setMenuOpen(false);

  if (needsTwoFactor && pathname !== "/account") {
    return <Navigate to="/account" replace />;
  }

  return (
    <Box sx={{ display: "flex", minHeight: "100vh" }}>
      <Box
        component="a"
        href="#content"
        sx={{
          position: "fixed",
          top: -60,
          left: 8,
          zIndex: "tooltip",
          p: 1.5,
          borderRadius: 1,
          bgcolor: "background.paper",
          color: "primary.main",
          "&:focus": { top: 8 },
        }}
      >
        {t("shell.skip")}
      </Box>
      {isWide ? (
        <Box
          sx={{
            width: SIDEBAR_WIDTH,
            flexShrink: 0,
            position: "sticky",
            top: 0,
            height: "100vh",
            overflowY: "auto",
            borderRight: 1,
            borderColor: "divider",
            bgcolor: "background.paper",
          }}
        >
          <Sidebar onNavigate={close} />
        </Box>
      ) : (
        <Drawer open={isMenuOpen} onClose={close} slotProps={{ paper: { sx: { width: 272 } } }}>
          <Sidebar onNavigate={close} />
        </Drawer>
      )}
      <Box sx={{ flexGrow: 1, minWidth: 0, display: "flex", flexDirection: "column" }}>
        <TopBar onOpenMenu={isWide ? undefined : () => setMenuOpen(true)} />
        <Box
          component="main"
          id="content"
          tabIndex={-1}
          sx={{ flexGrow: 1, px: { xs: 2, sm: 3 }, py: { xs: 2, sm: 3 }, outline: 0 }}
        >
          <CrashBoundary key={pathname}>
            <Access>
              <Suspense fallback={<PageSkeleton />}>{children}</Suspense>
            </Access>
          </CrashBoundary>
        </Box>
      </Box>
      <LiveUpdates />
      <CommandPalette />
      <RenewDialog />
    </Box>
  );
}
