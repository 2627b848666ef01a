import { CssBaseline, useMediaQuery } from "@mui/material";
import { ThemeProvider } from "@mui/material/styles";
import { QueryClient } from "@tanstack/react-query";
import { type ReactNode, Suspense } from "react";
import {
  CoreAdminContext,
  CoreAdminUI,
  CustomRoutes,
  localStorageStore,
  Resource,
  useStore,
} from "react-admin";
import { Route } from "react-router";
import { dataProvider } from "./api/dataProvider";
import { ApiError } from "./api/error";
import { i18nProvider } from "./i18n/provider";
import { Crash, NotFound } from "./layout/ErrorPages";
import { Shell } from "./layout/Shell";
import { Toast } from "./layout/Toast";
import { DASHBOARD, ENTRANCES, PAGES, RESOURCE_PAGES } from "./pages";
import { authProvider } from "./session/authProvider";
import { APP, VERSION } from "./store";
import { themeOf } from "./theme/theme";

/** A list that was read a moment ago is shown at once, and refreshed when something changed. */
const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5000,
      // What does not exist, or may not be read, will not the next time either.
      retry: (failures, error) =>
        failures < 1 && !(error instanceof ApiError && error.status < 500),
      refetchOnWindowFocus: true,
    },
  },
});

const store = localStorageStore(VERSION, APP);

export function App() {
  return (
    <CoreAdminContext
      dataProvider={dataProvider}
      authProvider={authProvider}
      i18nProvider={i18nProvider}
      queryClient={queryClient}
      store={store}
    >
      <Appearance>
        <CoreAdminUI
          layout={Shell}
          loginPage={false}
          dashboard={DASHBOARD}
          catchAll={NotFound}
          error={Crash}
          requireAuth
          disableTelemetry
        >
          {RESOURCE_PAGES.map((pages) => (
            <Resource key={pages.name} {...pages} />
          ))}
          <CustomRoutes>
            {PAGES.map(({ path, Page }) => (
              <Route key={path} path={path} element={<Page />} />
            ))}
          </CustomRoutes>
          <CustomRoutes noLayout>
            {ENTRANCES.map(({ path, Page }) => (
              <Route
                key={path}
                path={path}
                element={
                  <Suspense>
                    <Page />
                  </Suspense>
                }
              />
            ))}
          </CustomRoutes>
        </CoreAdminUI>
        <Toast />
      </Appearance>
    </CoreAdminContext>
  );
}

/** The theme that was chosen, or the one of the system. */
function Appearance({ children }: { children: ReactNode }) {
  const prefersDark = useMediaQuery("(prefers-color-scheme: dark)", { noSsr: true });
  const [chosen] = useStore<"light" | "dark" | undefined>("theme");
  return (
    <ThemeProvider theme={themeOf(chosen ?? (prefersDark ? "dark" : "light"))}>
      <CssBaseline enableColorScheme />
      {children}
    </ThemeProvider>
  );
}
