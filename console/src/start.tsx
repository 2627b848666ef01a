import createCache from "@emotion/cache";
import { CacheProvider } from "@emotion/react";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createBrowserRouter, RouterProvider } from "react-router";
import { App } from "./App";
import { nonce } from "./nonce";
import { BASE } from "./store";

/** Shows the console, once everything that its first page needs is there. */
export function start(): void {
  const router = createBrowserRouter([{ path: "*", element: <App /> }], { basename: BASE });
  const styles = createCache({ key: "s", ...(nonce && { nonce }) });
  const root = document.getElementById("root");
  if (root !== null) {
    createRoot(root).render(
      <StrictMode>
        <CacheProvider value={styles}>
          <RouterProvider router={router} />
        </CacheProvider>
      </StrictMode>,
    );
  }
}
