import createCache from "@emotion/cache";
import { CacheProvider } from "@emotion/react";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createBrowserRouter, RouterProvider } from "react-router";
import { App } from "./App";
import { nonce } from "./nonce";
import { preload } from "./pages";

const BASE = "/console";
const router = createBrowserRouter([{ path: "*", element: <App /> }], { basename: BASE });
const styles = createCache({ key: "s", ...(nonce && { nonce }) });
const root = document.getElementById("root");

preload(window.location.pathname.slice(BASE.length));
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <CacheProvider value={styles}>
        <RouterProvider router={router} />
      </CacheProvider>
    </StrictMode>,
  );
}
