import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  expect,
  type Page,
  request,
  test as base,
} from "@playwright/test";
import { Service } from "./service";
import { watch } from "./watch";

export { expect };

type State = Exclude<BrowserContextOptions["storageState"], string | undefined>;

const DEMO = {
  users: 120,
  invoices: 400,
  servers: 4,
  roles: 8,
  pages: 8,
  navigation: 12,
  "promo-codes": 6,
};
/** How every page begins, as playwright.config.ts says. */
const VIEWPORT = { width: 1280, height: 800 };
const MEDIA = { colorScheme: "light", reducedMotion: "reduce" } as const;
const PASSWORD = "a password for tests";
/** Names of the catalogue, or all of them. */
type Permissions = string[] | "all";

/** How long a session is used for. */
const FRESH_MS = 10 * 60_000;

const SIGNED_OUT: State = { cookies: [], origins: [] };

/** A person with access to the console. */
export interface Operator {
  id: number;
  username: string;
  password: string;
}

/** An operator with a browser of their own. */
export interface SignedIn extends Operator {
  context: BrowserContext;
  page: Page;
}

/** A page that a test has opened. */
interface Opened {
  page: Page;
  /** Whether another test may go on with it: it was opened without options of its own. */
  isReusable: boolean;
}

/** A service with demo data, and the people who use it. */
export class Steward {
  private opened: Opened[] = [];
  /** Pages of earlier tests. Their scripts are compiled, so they open in half the time. */
  private warm: Page[] = [];
  private problems: string[] = [];
  private count = 0;
  private signedInAt = Date.now();

  private constructor(
    private readonly service: Service,
    private readonly browser: Browser,
    /** The session of the operator "admin". */
    public state: State,
    readonly admin: Operator,
  ) {}

  static async start(browser: Browser): Promise<Steward> {
    const service = await Service.start(DEMO);
    try {
      const admin = await addOperator(service, "admin", "all");
      return new Steward(service, browser, await stateOf(service, admin), admin);
    } catch (error) {
      await service.stop();
      throw error;
    }
  }

  get origin(): string {
    return this.service.origin;
  }

  get log(): string {
    return this.service.log;
  }

  /** The full address of a page of the console. */
  url(path: string): string {
    return this.service.url(path);
  }

  /** Calls the API as another client, with a key that may do everything. Throws on errors. */
  api<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    return this.service.api<T>(method, path, body);
  }

  /** Reads from the API, as `api` does. */
  read<T>(path: string): Promise<T> {
    return this.service.read<T>(path);
  }

  /** A name that no other test uses. */
  unique(prefix: string): string {
    this.count += 1;
    return `${prefix}-${this.count}`;
  }

  /** The ids of permissions in the catalogue, by their names. */
  permissionIds(names: Permissions): Promise<number[]> {
    return permissionIds(this.service, names);
  }

  /** Creates a user. */
  addUser(prefix: string): Promise<Operator> {
    return addUser(this.service, this.unique(prefix));
  }

  /** Creates an API key. */
  async addKey(permissions: string[] = []): Promise<{ id: number; key: string }> {
    const body = { name: this.unique("Key") };
    type Reply = { api_key: { id: number; key: string } };
    const { api_key } = await this.api<Reply>("POST", "/api/api-keys", body);
    await this.api("PUT", `/api/api-keys/${api_key.id}/permissions`, {
      permission_ids: await this.permissionIds(permissions),
    });
    return api_key;
  }

  /** Creates a user who may use the console. It has no session yet. */
  addOperator(permissions: Permissions): Promise<Operator> {
    return addOperator(this.service, this.unique("operator"), permissions);
  }

  /** Another operator, who is signed in in a browser of their own. */
  async operator(options: {
    permissions: Permissions;
    context?: BrowserContextOptions;
  }): Promise<SignedIn> {
    const operator = await this.addOperator(options.permissions);
    const page = await this.open(await stateOf(this.service, operator), options.context);
    return { ...operator, context: page.context(), page };
  }

  /** A page with the session of the operator "admin". */
  async page(options: BrowserContextOptions = {}): Promise<Page> {
    // The service would ask who it is after 15 minutes.
    if (Date.now() - this.signedInAt > FRESH_MS) {
      this.state = await stateOf(this.service, this.admin);
      this.signedInAt = Date.now();
    }
    return this.open(this.state, options);
  }

  /** A page in a browser without a session, of this or of another service. */
  guest(options: BrowserContextOptions = {}, origin = this.origin): Promise<Page> {
    return this.open(SIGNED_OUT, options, origin);
  }

  /** Signs in through the form. */
  async signIn(page: Page, as: { username: string; password: string } = this.admin): Promise<void> {
    await page.goto(this.url("/sign-in"));
    await page.getByLabel("Username or email").fill(as.username);
    await page.getByLabel("Password").fill(as.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByRole("banner")).toBeVisible();
  }

  async signInWithKey(page: Page, key: string): Promise<void> {
    await page.goto(this.url("/sign-in"));
    await page.getByRole("button", { name: "Use an API key" }).click();
    await page.getByLabel("API key").fill(key);
    await page.getByRole("button", { name: "Sign in" }).click();
  }

  /** Closes what the test opened, and returns the errors of its pages. */
  async finishTest(): Promise<string[]> {
    await Promise.all(this.opened.map((one) => this.leave(one)));
    const problems = this.problems;
    this.opened = [];
    this.problems = [];
    return problems;
  }

  async stop(): Promise<void> {
    await Promise.all(this.warm.map((page) => page.context().close()));
    await this.service.stop();
  }

  /** A page in a browser with nothing but this session. */
  private async open(
    storageState: State,
    options: BrowserContextOptions = {},
    origin = this.origin,
  ): Promise<Page> {
    const isReusable = Object.keys(options).length === 0 && origin === this.origin;
    const warm = isReusable ? this.warm.pop() : undefined;
    if (warm !== undefined) {
      this.opened.push({ page: warm, isReusable });
      await warm.context().setStorageState(storageState);
      return warm;
    }
    const context = await this.browser.newContext({ ...options, storageState });
    // Makes the test fail for anything that a page must never do.
    watch(context, origin, (problem) => this.problems.push(problem));
    const page = await context.newPage();
    this.opened.push({ page, isReusable });
    return page;
  }

  private async leave({ page, isReusable }: Opened): Promise<void> {
    const context = page.context();
    if (!isReusable || page.isClosed()) {
      await context.close();
      return;
    }
    await Promise.all(context.pages().map((other) => other !== page && other.close()));
    page.removeAllListeners("dialog");
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.goto("about:blank");
    await page.emulateMedia(MEDIA);
    await page.setViewportSize(VIEWPORT);
    this.warm.push(page);
  }
}

async function addUser(service: Service, username: string): Promise<Operator> {
  const body = { username, email: `${username}@example.com`, password: PASSWORD };
  const { user } = await service.api<{ user: { id: number } }>("POST", "/api/users", body);
  return { id: user.id, username, password: PASSWORD };
}

async function addOperator(
  service: Service,
  username: string,
  permissions: Permissions,
): Promise<Operator> {
  const user = await addUser(service, username);
  const ids = await permissionIds(service, permissions);
  await service.api("PUT", `/api/operators/${user.id}`, { permission_ids: ids });
  return user;
}

async function permissionIds(service: Service, names: Permissions): Promise<number[]> {
  const { permissions } = await service.read<{ permissions: { id: number; name: string }[] }>(
    "/api/permissions/catalog",
  );
  if (names === "all") {
    return permissions.map(({ id }) => id);
  }
  return names.map((name) => {
    const found = permissions.find((permission) => permission.name === name);
    if (found === undefined) {
      throw new Error(`there is no permission ${name}`);
    }
    return found.id;
  });
}

/** Signs in without a page, so that tests of pages do not depend on the form. */
async function stateOf(service: Service, { username, password }: Operator): Promise<State> {
  const client = await request.newContext({ storageState: SIGNED_OUT });
  const data = { login: username, password };
  const reply = await client.post(`${service.origin}/api/console/session`, { data });
  expect(reply.status(), await reply.text()).toBe(201);
  const state = await client.storageState();
  await client.dispose();
  return state;
}

export const test = base.extend<{ strict: undefined }, { steward: Steward }>({
  steward: [
    async ({ browser }, use) => {
      const steward = await Steward.start(browser);
      await use(steward);
      await steward.stop();
    },
    { scope: "worker", timeout: 300_000 },
  ],

  storageState: async ({ steward }, use) => use(steward.state),

  /** For a page with options of its own, a test calls `steward.page`. */
  page: async ({ steward }, use) => use(await steward.page()),

  context: async ({ page }, use) => use(page.context()),

  strict: [
    async ({ steward }, use, testInfo) => {
      await use(undefined);
      const problems = await steward.finishTest();
      if (testInfo.status !== testInfo.expectedStatus) {
        await testInfo.attach("service.log", { body: steward.log, contentType: "text/plain" });
      }
      expect(problems, "what no page may do").toEqual([]);
    },
    { auto: true },
  ],
});
