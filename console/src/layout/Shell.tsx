import LockOutlined from "@mui/icons-material/LockOutlined";
import { Box, Drawer, useMediaQuery } from "@mui/material";
import { type ReactNode, Suspense, useEffect, useState } from "react";
import { Navigate, useLocation } from "react-router";
import { EmptyState } from "../components/EmptyState";
import { PageSkeleton } from "../components/Page";
import { permissionName } from "../components/permissions/names";
import { useDocumentLanguage, useText } from "../i18n";
import { LiveUpdates } from "../live/LiveUpdates";
import { grants, useSession, useSessionSnapshot } from "../session/session";
import { CommandPalette } from "./CommandPalette";
import { BackButton, CrashBoundary } from "./ErrorPages";
import { ConfirmSession, loadLater, RenewDialog } from "./later";
import { neededFor } from "./menu";
import { ServiceBanner } from "./ServiceBanner";
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
  const { confirming, needsTwoFactor, renewing } = useSessionSnapshot();
  useEffect(loadLater, []);
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
            displayPrint: "none",
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
        <ServiceBanner />
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
      {confirming && <ConfirmSession />}
      {renewing && <RenewDialog />}
    </Box>
  );
}

/** Shows a page, or why it is not shown. A link may lead to a page that the operator may not open. */
function Access({ children }: { children: ReactNode }) {
  const t = useText();
  const session = useSession();
  const permission = neededFor(useLocation().pathname);
  if (session === null || permission === undefined || grants(session, permission)) {
    return children;
  }
  return (
    <EmptyState
      icon={LockOutlined}
      title={t("errors.forbidden")}
      text={t("errors.missingPermission", { permission: permissionName(permission, t) })}
      action={<BackButton />}
    />
  );
}
