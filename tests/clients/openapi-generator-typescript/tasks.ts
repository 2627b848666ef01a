// The task list of ../README.md, with the typescript-fetch client of openapi-generator.
import assert from 'node:assert/strict';

import {
  APIKeysApi,
  type ApiError,
  ApiErrorFromJSON,
  BaseApi,
  Configuration,
  CurrenciesApi,
  ExportPaymentInvoicesFormatEnum,
  ExportPaymentInvoicesSortEnum,
  NavigationItemsApi,
  PagesApi,
  PaymentInvoicesApi,
  ResponseError,
  RolesApi,
  UsersApi,
} from './client/index.js';

const basePath = process.env['STEWARD_URL'] ?? '';

/** Checks that a call fails in this way, and returns the body of the error. */
async function refused(call: Promise<unknown>, status: number, code: string): Promise<ApiError> {
  const error = await call.then(
    () => assert.fail(`expected ${status} ${code}`),
    (error: unknown) => error,
  );
  assert.ok(error instanceof ResponseError, String(error));
  assert.equal(error.response.status, status);
  const body = ApiErrorFromJSON(await error.response.json());
  assert.equal(body.code, code);
  return body;
}

function nextCursor(reply: Response): string | undefined {
  const next = /<([^>]+)>; rel="next"/.exec(reply.headers.get('Link') ?? '');
  return new URL(next?.[1] ?? '', basePath).searchParams.get('after') ?? undefined;
}

// A key
const admin = new Configuration({ basePath, apiKey: process.env['STEWARD_KEY'] ?? '' });
const wanted = ['roles', 'pages', 'users', 'navigation', 'currencies', 'payments'];
const permissionIds = (await new BaseApi(admin).listPermissions()).permissions
  .filter(({ name }) => wanted.includes(name.slice('admin.'.length)))
  .map(({ id }) => id);
const keys = new APIKeysApi(admin);
const { apiKey } = await keys.createApiKey({ newApiKey: { name: 'bot' } });
await keys.setApiKeyPermissions({ id: apiKey.id, apiKeyPermissions: { permissionIds } });
const config = new Configuration({ basePath, apiKey: apiKey.key });
await refused(new APIKeysApi(config).listApiKeys(), 403, 'missing_permission');

// Roles, and 412
const roles = new RolesApi(config);
const { role: member } = await roles.createRole({ newRole: { name: 'Member' } });
const { role: guard } = await roles.createRole({
  newRole: { name: 'Guard', description: 'Keeps the peace' },
});
const read = await roles.getRoleRaw({ id: guard.id });
assert.deepEqual((await read.value()).role.permissions, []);
const change = {
  id: guard.id,
  ifMatch: read.raw.headers.get('ETag') ?? '',
  roleChanges: { name: 'Moderator' },
};
await roles.updateRole(change);
await refused(roles.updateRole(change), 412, 'precondition_failed');

// Users, and 422
const users = new UsersApi(config);
const password = 'correct horse';
for (const username of ['anna', 'ben', 'carla', 'dora', 'emil']) {
  const email = `${username}@example.com`;
  const { user } = await users.createUser({
    newUser: { username, email, password, roleIds: [member.id] },
  });
  assert.equal(user.status, 'active');
}
const taken = await refused(
  users.createUser({ newUser: { username: 'ANNA', email: 'anna@example.com', password } }),
  422,
  'validation_failed',
);
assert.deepEqual(Object.keys(taken.errors ?? {}).sort(), ['email', 'username']);

// A block
const until = new Date('2099-01-01T00:00:00Z');
await users.blockUser({ id: 1, userBlockTerms: { reason: 'Cooling off', until } });
const [block] = (await users.listUserBlocks({ id: 1 })).blocks;
assert.deepEqual(block?.until, until);
assert.equal(block.liftedAt, null);
await users.unblockUser({ id: 1 });
const { user: anna } = await users.getUser({ id: 1 });
assert.equal(anna.status, 'active');
assert.deepEqual(anna.roles.map(({ name }) => name), ['Member']);
assert.ok(anna.createdAt <= new Date());

// A page with blocks
const pages = new PagesApi(config);
const { page } = await pages.createPage({
  newPage: { title: 'Welcome', slug: 'welcome', content: '<h1>Welcome</h1>' },
});
const image = { url: '/banner.png', alt: 'Our banner', width: 960, height: 240 };
await pages.addPageBlock({ id: page.id, newPageBlock: { type: 'text', content: '<p>Hello</p>' } });
await pages.addPageBlock({ id: page.id, newPageBlock: { type: 'image', content: image } });
const { blocks } = await pages.listPageBlocks({ id: page.id });
assert.deepEqual(blocks.map(({ content }) => content), ['<p>Hello</p>', image]);

// A menu, and DELETE with a body
const menu = new NavigationItemsApi(config);
const { navbarItem: community } = await menu.createNavbarItem({
  newNavbarItem: { title: 'Community', position: 1, roles: [member.id, guard.id] },
});
await menu.createNavbarItem({
  newNavbarItem: { title: 'Rules', url: '/rules', parentId: community.id },
});
await menu.removeNavbarItemRoles({ id: community.id, navbarItemRoles: { roles: [guard.id] } });
const { navbarItem } = await menu.getNavbarItem({ id: community.id });
assert.deepEqual(navbarItem.roles.map(({ name }) => name), ['Member']);
assert.deepEqual(navbarItem.children.map(({ title }) => title), ['Rules']);
await refused(menu.deleteNavbarItem({ id: community.id }), 422, 'has_children');

// Invoices, and a payment that is reported twice
const currencies = new CurrenciesApi(config);
const { currency } = await currencies.createCurrency({
  newCurrency: { code: 'EUR', minimumValue: 1, exchangeRate: 1 },
});
const invoices = new PaymentInvoicesApi(config);
for (const amount of [19.99, 5, 7.07]) {
  const { paymentInvoice } = await invoices.createPaymentInvoice({
    newInvoice: { userId: anna.id, gateway: 'card', amount, currencyId: currency.id },
  });
  assert.equal(paymentInvoice.amount, amount);
  assert.equal(paymentInvoice.paidAt, null);
}
const pay = () =>
  invoices.setPaymentInvoiceStatusRaw({
    id: 1,
    idempotencyKey: 'callback-T-1001',
    invoiceStatusChange: { isPaid: true, transactionId: 'T-1001' },
  });
const first = await pay();
const second = await pay();
assert.equal(first.raw.headers.get('Idempotent-Replayed'), null);
assert.equal(second.raw.headers.get('Idempotent-Replayed'), 'true');
const paid = await first.value();
assert.deepEqual(await second.value(), paid);
assert.ok(paid.paymentInvoice.paidAt instanceof Date);

// A list, by cursor
const names: string[] = [];
let after: string | undefined;
do {
  const reply = await users.listUsersRaw({ perPage: 2, after });
  assert.equal(reply.raw.headers.get('X-Total-Count'), '5');
  names.push(...(await reply.value()).users.map(({ username }) => username));
  after = nextCursor(reply.raw);
} while (after !== undefined);
assert.deepEqual(names, ['anna', 'ben', 'carla', 'dora', 'emil']);

// 409, DELETE, 404
await refused(currencies.deleteCurrency({ id: currency.id }), 409, 'currency_in_use');
await invoices.deletePaymentInvoice({ id: 3 });
await refused(invoices.getPaymentInvoice({ id: 3 }), 404, 'not_found');

// An export
const csv = await invoices.exportPaymentInvoices({
  format: ExportPaymentInvoicesFormatEnum.Csv,
  sort: ExportPaymentInvoicesSortEnum.Id,
});
const [head, ...rows] = csv.trimEnd().split('\n');
assert.ok(head?.startsWith('id,user_id,gateway,'));
assert.deepEqual(rows.map((row) => row.split(',')[4]), ['19.99', '5']);
