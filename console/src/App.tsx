import { QueryClient } from "@tanstack/react-query";
import { Admin, CustomRoutes, localStorageStore, Resource } from "react-admin";
import { Route } from "react-router";
import { dataProvider } from "./api/dataProvider";
import { i18nProvider } from "./i18n";
import { Crash } from "./layout/Crash";
import { NotFound } from "./layout/NotFound";
import { Shell } from "./layout/Shell";
import { Toast } from "./layout/Toast";
import { DASHBOARD, PAGES, RESOURCE_PAGES } from "./pages";
import { authProvider } from "./session/authProvider";
import { SetUpPage } from "./session/SetUpPage";
import { SignInPage } from "./session/SignInPage";
import { darkTheme, lightTheme } from "./theme/theme";

/** A list that was read a moment ago is shown at once, and refreshed when something changed. */
const queryClient = new QueryClient({
  defaultOptions: { queries: { staleTime: 5000, retry: 1, refetchOnWindowFocus: true } },
});

export function App() {
  return (
    <Admin
      title="Steward"
      dataProvider={dataProvider}
      authProvider={authProvider}
      i18nProvider={i18nProvider}
      queryClient={queryClient}
      store={localStorageStore("1", "Steward")}
      layout={Shell}
      loginPage={false}
      dashboard={DASHBOARD}
      catchAll={NotFound}
      error={Crash}
      notification={Toast}
      theme={lightTheme}
      darkTheme={darkTheme}
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
        <Route path="/sign-in" element={<SignInPage />} />
        <Route path="/setup" element={<SetUpPage />} />
      </CustomRoutes>
    </Admin>
  );
}
