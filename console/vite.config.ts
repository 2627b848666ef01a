import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const service = process.env.STEWARD_URL ?? "http://127.0.0.1:8080";

// The service serves the files under an address that carries a hash of them all, so the files
// themselves have stable names and refer to each other relatively. The development server serves
// them where the console is.
export default defineConfig(({ command }) => ({
  base: command === "serve" ? "/console/" : "./",
  plugins: [react()],
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
