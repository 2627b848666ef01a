import { defineConfig } from "@playwright/test";

export default defineConfig({
  projects: [
    { name: "tests", testDir: "tests" },
    { name: "screenshots", testDir: "scripts", testMatch: "screenshots.ts" },
    { name: "opening", testDir: "scripts", testMatch: "opening.ts" },
  ],
  outputDir: "test-results",
  reporter: "list",
  // A test waits now and then, so there is one more than the two cores that the tests need.
  workers: 3,
  retries: 0,
  forbidOnly: process.env.CI !== undefined,
  // Long enough for a machine that is busy with other work. A test that passes does not wait.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  use: {
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
    viewport: { width: 1280, height: 800 },
    // Nothing waits for animations.
    contextOptions: { reducedMotion: "reduce" },
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
