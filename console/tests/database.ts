import { execFileSync } from "node:child_process";

/**
 * Creates an empty database on the PostgreSQL server of `scripts/with-postgres` and returns its
 * address. Returns null if the tests run on SQLite.
 */
export function createDatabase(): string | null {
  if (process.env.STEWARD_TEST_ENGINE !== "postgres") {
    return null;
  }
  const server = process.env.STEWARD_TEST_POSTGRES;
  if (server === undefined) {
    throw new Error("STEWARD_TEST_POSTGRES must be set to the address of a server");
  }
  const name = `steward_console_${process.pid}_${Date.now()}`;
  execFileSync("psql", ["-Xq", "-c", `CREATE DATABASE ${name}`, server], { stdio: "pipe" });
  return server.replace(/[^/]*$/, name);
}
