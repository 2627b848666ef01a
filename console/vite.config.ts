import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { oneLanguage } from "./scripts/oneLanguage";

const service = process.env.STEWARD_URL ?? "http://127.0.0.1:8080";

/**
 * What every page needs is in few files: a phone waits for each. `first` is what asks for the
 * session and the language while the rest is being loaded.
 */
const FIRST =
  /\/src\/(store|retried|service|version|api\/(client|error|attempts)|session\/session|i18n\/(provider|format|translate|types))\.ts$|node_modules\/(react|openapi-fetch)\/|vite\/preload-helper|rolldown\/runtime/;
const FRAME =
  /node_modules\/(@emotion|@popperjs|@tanstack|react-dom|react-router|scheduler|stylis|@mui\/(system|utils|styled-engine|private-theming))\//;
const PARTS = /\/src\/(api|i18n|theme|components\/(audit\/)?\w+\.tsx?$)/;
const GROUPS = [
  { name: "first", test: FIRST, priority: 3 },
  { name: "frame", test: FRAME, minShareCount: 2, priority: 2 },
  { name: "material", test: /node_modules\/@mui\/material\//, minShareCount: 17, priority: 1 },
  { name: "parts", test: PARTS, minShareCount: 15 },
];

// The service serves the files under an address that carries a hash of them all, so the files
// themselves have stable names and refer to each other relatively. The development server serves
// them where the console is.
export default defineConfig(({ command }) => ({
  base: command === "serve" ? "/console/" : "./",
  plugins: [react(), oneLanguage()],
  build: {
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1500,
    rolldownOptions: {
      output: {
        entryFileNames: "assets/[name].js",
        chunkFileNames: "assets/[name].js",
        assetFileNames: "assets/[name][extname]",
        codeSplitting: { includeDependenciesRecursively: false, groups: GROUPS },
      },
    },
  },
  server: {
    host: "127.0.0.1",
    port: 5173,
    strictPort: true,
    proxy: Object.fromEntries(
      ["/api", "/metrics", "/healthz", "/readyz"].map((path) => [path, service]),
    ),
  },
  test: { include: ["src/**/*.test.{ts,tsx}"] },
}));
