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
const PASSWORD = "a password for tests";
/** Names of the catalogue, or all of them. */
type Permissions = string[] | "all";

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

/** A service with demo data, and the people who use it. */
export class Steward {
  private contexts: BrowserContext[] = [];
  private problems: string[] = [];
  private count = 0;

  private constructor(
    private readonly service: Service,
    private readonly browser: Browser,
    /** The session of the operator "admin", for every page that is given to a test. */
    readonly state: State,
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

  /** A name that no other test uses. */
  unique(prefix: string): string {
    this.count += 1;
    return `${prefix}-${this.count}`;
  }

  /** The ids of permissions in the catalogue, by their names. */
  permissionIds(names: Permissions): Promise<number[]> {
    return permissionIds(this.service, names);
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
    const storageState = await stateOf(this.service, operator);
    const context = await this.open({ ...options.context, storageState }, this.origin);
    return { ...operator, context, page: await context.newPage() };
  }

  /** A page in a browser without a session, of this or of another service. */
  async guest(options: BrowserContextOptions = {}, origin = this.origin): Promise<Page> {
    const context = await this.open({ ...options, storageState: SIGNED_OUT }, origin);
    return context.newPage();
  }

  /** Signs in through the form. */
  async signIn(page: Page, as: { username: string; password: string } = this.admin): Promise<void> {
    await page.goto(this.url("/sign-in"));
    await page.getByLabel("Username or email").fill(as.username);
    await page.getByLabel("Password").fill(as.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByRole("banner")).toBeVisible();
  }

  /** Makes the test fail for anything that a page must never do. */
  watch(context: BrowserContext, origin: string): void {
    watch(context, origin, (problem) => this.problems.push(problem));
  }

  /** Closes what the test has opened, and returns what went wrong meanwhile. */
  async finishTest(): Promise<string[]> {
    await Promise.all(this.contexts.map((context) => context.close()));
    const problems = this.problems;
    this.contexts = [];
    this.problems = [];
    return problems;
  }

  stop(): Promise<void> {
    return this.service.stop();
  }

  private async open(options: BrowserContextOptions, origin: string): Promise<BrowserContext> {
    const context = await this.browser.newContext(options);
    this.contexts.push(context);
    this.watch(context, origin);
    return context;
  }
}

async function addOperator(
  service: Service,
  username: string,
  permissions: Permissions,
): Promise<Operator> {
  const { user } = await service.api<{ user: { id: number } }>("POST", "/api/users", {
    username,
    email: `${username}@example.com`,
    password: PASSWORD,
  });
  const ids = await permissionIds(service, permissions);
  await service.api("PUT", `/api/operators/${user.id}`, { permission_ids: ids });
  return { id: user.id, username, password: PASSWORD };
}

async function permissionIds(service: Service, names: Permissions): Promise<number[]> {
  const { permissions } = await service.api<{ permissions: { id: number; name: string }[] }>(
    "GET",
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
    { scope: "worker", timeout: 120_000 },
  ],

  storageState: async ({ steward }, use) => use(steward.state),

  context: async ({ context, steward }, use) => {
    steward.watch(context, steward.origin);
    await use(context);
  },

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
