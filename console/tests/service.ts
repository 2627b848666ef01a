import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createDatabase } from "./database";

const PROGRAM =
  process.env.STEWARD_TEST_PROGRAM ??
  fileURLToPath(new URL("../../target/debug/steward", import.meta.url));
const ADMIN_KEY = "key-of-the-browser-tests";
const START_MS = 240_000;
const STOP_MS = 10_000;

/** The options of `steward demo`, or nothing for an empty service. */
export type Demo = Record<string, number | string> | null;

export class ApiFailure extends Error {
  constructor(
    request: string,
    readonly status: number,
    reply: string,
  ) {
    super(`${request} was answered with ${status}: ${reply}`);
  }
}

/** The real program with a data folder and a database of its own, on a free port of 127.0.0.1. */
export class Service {
  private constructor(
    private program: ChildProcess,
    private readonly folder: string,
    private readonly env: NodeJS.ProcessEnv,
    private readonly written: { log: string },
    readonly origin: string,
  ) {}

  static async start(demo: Demo, settings: Record<string, string> = {}): Promise<Service> {
    const folder = mkdtempSync(join(tmpdir(), "steward-console-"));
    const backups = join(folder, "backups");
    mkdirSync(backups);
    // Nothing of the caller's configuration applies, and nothing leaves this machine.
    const env = {
      PATH: process.env.PATH,
      STEWARD_DATA_DIR: folder,
      STEWARD_LISTEN: "127.0.0.1:0",
      STEWARD_ADMIN_KEY: ADMIN_KEY,
      STEWARD_BACKUP_DIR: backups,
      STEWARD_SERVER_NETWORKS: "127.0.0.0/8",
      STEWARD_WEBHOOK_NETWORKS: "127.0.0.0/8",
      // The longest there is: a busy machine answers late.
      STEWARD_QUERY_TIMEOUT: "10000",
      STEWARD_DISCORD_URL: "http://127.0.0.1:9/api/v10",
      STEWARD_DATABASE_URL: createDatabase() ?? `sqlite:${join(folder, "steward.db")}`,
      ...settings,
    };
    if (demo !== null) {
      const options = Object.entries(demo).map(([name, value]) => `--${name}=${value}`);
      execFileSync(PROGRAM, ["demo", ...options], { cwd: folder, env, stdio: "pipe" });
    }
    const written = { log: "" };
    const { program, origin } = await run(folder, env, written);
    return new Service(program, folder, env, written, origin);
  }

  /** Everything that the program has logged. */
  get log(): string {
    return this.written.log;
  }

  /** The link that sets up the console; empty until the program has written it. */
  get setupLink(): string {
    const file = join(this.folder, "setup-link");
    return existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  }

  /** The full address of a page of the console. */
  url(path: string): string {
    return `${this.origin}/console${path}`;
  }

  /** Calls the API as another client, with a key that may do everything. */
  async api<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(this.origin + path, {
      method,
      headers: {
        "X-API-Key": ADMIN_KEY,
        ...(body !== undefined && { "Content-Type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) {
      throw new ApiFailure(`${method} ${path}`, response.status, text);
    }
    return JSON.parse(text) as T;
  }

  read<T>(path: string): Promise<T> {
    return this.api<T>("GET", path);
  }

  async stop(): Promise<void> {
    const ended = this.ended();
    this.program.kill("SIGTERM");
    const impatience = setTimeout(() => this.program.kill("SIGKILL"), STOP_MS);
    await ended;
    clearTimeout(impatience);
    rmSync(this.folder, { recursive: true });
  }

  /** Ends the program at once. `resume` starts it again at the same address, with the same data. */
  async kill(): Promise<void> {
    const ended = this.ended();
    this.program.kill("SIGKILL");
    await ended;
  }

  private ended(): Promise<unknown> {
    return new Promise((resolve) => this.program.once("exit", resolve));
  }

  async resume(): Promise<void> {
    const env = { ...this.env, STEWARD_LISTEN: new URL(this.origin).host };
    this.program = (await run(this.folder, env, this.written)).program;
  }
}

/** Starts the program, and resolves once it listens. */
async function run(folder: string, env: NodeJS.ProcessEnv, written: { log: string }) {
  const program = spawn(PROGRAM, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  program.stderr.on("data", (text: Buffer) => (written.log += text.toString()));
  const origin = await new Promise<string>((resolve, reject) => {
    const fail = () => reject(new Error(`${PROGRAM} did not start:\n${written.log}`));
    setTimeout(fail, START_MS).unref();
    program.once("error", fail);
    program.once("exit", fail);
    program.stdout.on("data", (text: Buffer) => {
      const found = /listening on (\S+)/.exec(text.toString())?.[1];
      if (found !== undefined) {
        resolve(found);
      }
    });
  });
  return { program, origin };
}
