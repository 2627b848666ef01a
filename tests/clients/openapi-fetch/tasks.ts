// The task list of ../README.md, with openapi-fetch.
import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';

import type { paths } from './schema.ts';

type ApiError = paths['/api/roles']['get']['responses'][401]['content']['application/json'];
type Reply<T> =
  | { data: T; error?: never; response: Response }
  | { data?: never; error: ApiError; response: Response };

const baseUrl = process.env['STEWARD_URL'] ?? '';

function clientWith(key: string) {
  return createClient<paths>({ baseUrl, headers: { 'X-API-Key': key } });
}

function ok<T>(reply: Reply<T>): T {
  if (reply.error !== undefined) {
    throw new Error(`${reply.response.status} ${JSON.stringify(reply.error)}`);
  }
  return reply.data;
}

function refused(reply: Reply<unknown>, status: number, code: ApiError['code']): ApiError {
  assert.equal(reply.response.status, status);
  assert.ok(reply.error);
  assert.equal(reply.error.code, code);
  return reply.error;
}

function nextCursor(reply: { response: Response }): string | undefined {
  const next = /<([^>]+)>; rel="next"/.exec(reply.response.headers.get('Link') ?? '');
  return new URL(next?.[1] ?? '', baseUrl).searchParams.get('after') ?? undefined;
}

// A key
const admin = clientWith(process.env['STEWARD_KEY'] ?? '');
const { permissions } = ok(await admin.GET('/api/permissions/catalog'));
const wanted = ['roles', 'pages', 'users', 'navigation', 'currencies', 'payments'];
const permission_ids = permissions
  .filter(({ name }) => wanted.includes(name.slice('admin.'.length)))
  .map(({ id }) => id);
const { api_key } = ok(await admin.POST('/api/api-keys', { body: { name: 'bot' } }));
ok(
  await admin.PUT('/api/api-keys/{id}/permissions', {
    params: { path: { id: api_key.id } },
    body: { permission_ids },
  }),
);
const api = clientWith(api_key.key);
refused(await api.GET('/api/api-keys'), 403, 'missing_permission');

// Roles, and 412
const { role: member } = ok(await api.POST('/api/roles', { body: { name: 'Member' } }));
const { role: guard } = ok(
  await api.POST('/api/roles', { body: { name: 'Guard', description: 'Keeps the peace' } }),
);
const atGuard = { path: { id: guard.id } };
const read = await api.GET('/api/roles/{id}', { params: atGuard });
assert.deepEqual(ok(read).role.permissions, []);
const header = { 'If-Match': read.response.headers.get('ETag') ?? '' };
const body = { name: 'Moderator' };
ok(await api.PUT('/api/roles/{id}', { params: { ...atGuard, header }, body }));
refused(
  await api.PUT('/api/roles/{id}', { params: { ...atGuard, header }, body }),
  412,
  'precondition_failed',
);

// Users, and 422
for (const username of ['anna', 'ben', 'carla', 'dora', 'emil']) {
  const email = `${username}@example.com`;
  const { user } = ok(
    await api.POST('/api/users', {
      body: { username, email, password: 'correct horse', role_ids: [member.id] },
    }),
  );
  assert.equal(user.status, 'active');
}
const taken = refused(
  await api.POST('/api/users', {
    body: { username: 'ANNA', email: 'anna@example.com', password: 'correct horse' },
  }),
  422,
  'validation_failed',
);
assert.deepEqual(Object.keys(taken.errors ?? {}).sort(), ['email', 'username']);

// A block
const atAnna = { path: { id: 1 } };
ok(
  await api.POST('/api/users/{id}/block', {
    params: atAnna,
    body: { reason: 'Cooling off', until: '2099-01-01T00:00:00Z' },
  }),
);
const [block] = ok(await api.GET('/api/users/{id}/blocks', { params: atAnna })).blocks;
assert.equal(block?.until, '2099-01-01T00:00:00Z');
assert.equal(block.lifted_at, null);
ok(await api.POST('/api/users/{id}/unblock', { params: atAnna }));
const { user: anna } = ok(await api.GET('/api/users/{id}', { params: atAnna }));
assert.equal(anna.status, 'active');
assert.deepEqual(anna.roles.map(({ name }) => name), ['Member']);

// A page with blocks
const { page } = ok(
  await api.POST('/api/cms-pages', {
    body: { title: 'Welcome', slug: 'welcome', content: '<h1>Welcome</h1>' },
  }),
);
const atPage = { path: { id: page.id } };
const image = { url: '/banner.png', alt: 'Our banner', width: 960, height: 240 };
ok(
  await api.POST('/api/cms-pages/{id}/blocks', {
    params: atPage,
    body: { type: 'text', content: '<p>Hello</p>' },
  }),
);
ok(
  await api.POST('/api/cms-pages/{id}/blocks', {
    params: atPage,
    body: { type: 'image', content: image },
  }),
);
const { blocks } = ok(await api.GET('/api/cms-pages/{id}/blocks', { params: atPage }));
assert.deepEqual(blocks.map(({ content }) => content), ['<p>Hello</p>', image]);

// A menu, and DELETE with a body
const { navbar_item: community } = ok(
  await api.POST('/api/navbar-items', {
    body: { title: 'Community', position: 1, roles: [member.id, guard.id] },
  }),
);
ok(
  await api.POST('/api/navbar-items', {
    body: { title: 'Rules', url: '/rules', parent_id: community.id },
  }),
);
const atCommunity = { path: { id: community.id } };
ok(
  await api.DELETE('/api/navbar-items/{id}/roles', {
    params: atCommunity,
    body: { roles: [guard.id] },
  }),
);
const { navbar_item: menu } = ok(await api.GET('/api/navbar-items/{id}', { params: atCommunity }));
assert.deepEqual(menu.roles.map(({ name }) => name), ['Member']);
assert.deepEqual(menu.children.map(({ title }) => title), ['Rules']);
refused(await api.DELETE('/api/navbar-items/{id}', { params: atCommunity }), 422, 'has_children');

// Invoices, and a payment that is reported twice
const { currency } = ok(
  await api.POST('/api/currencies', { body: { code: 'EUR', minimum_value: 1, exchange_rate: 1 } }),
);
for (const amount of [19.99, 5, 7.07]) {
  const { payment_invoice } = ok(
    await api.POST('/api/payment-invoices', {
      body: { user_id: anna.id, gateway: 'card', amount, currency_id: currency.id },
    }),
  );
  assert.equal(payment_invoice.amount, amount);
  assert.equal(payment_invoice.paid_at, null);
}
const pay = () =>
  api.PUT('/api/payment-invoices/{id}/status', {
    params: { path: { id: 1 }, header: { 'Idempotency-Key': 'callback-T-1001' } },
    body: { is_paid: true, transaction_id: 'T-1001' },
  });
const first = await pay();
const second = await pay();
assert.equal(first.response.headers.get('Idempotent-Replayed'), null);
assert.equal(second.response.headers.get('Idempotent-Replayed'), 'true');
assert.deepEqual(ok(second), ok(first));
assert.ok(ok(first).payment_invoice.paid_at);

// A list, by cursor
const names: string[] = [];
let after: string | undefined;
do {
  const reply = await api.GET('/api/users', {
    params: { query: { per_page: 2, ...(after === undefined ? {} : { after }) } },
  });
  assert.equal(reply.response.headers.get('X-Total-Count'), '5');
  names.push(...ok(reply).users.map(({ username }) => username));
  after = nextCursor(reply);
} while (after !== undefined);
assert.deepEqual(names, ['anna', 'ben', 'carla', 'dora', 'emil']);

// 409, DELETE, 404
refused(
  await api.DELETE('/api/currencies/{id}', { params: { path: { id: currency.id } } }),
  409,
  'currency_in_use',
);
const atUnpaid = { path: { id: 3 } };
ok(await api.DELETE('/api/payment-invoices/{id}', { params: atUnpaid }));
refused(await api.GET('/api/payment-invoices/{id}', { params: atUnpaid }), 404, 'not_found');

// An export
const csv = ok(
  await api.GET('/api/payment-invoices/export', {
    params: { query: { format: 'csv', sort: 'id' } },
    parseAs: 'text',
  }),
);
const [head, ...rows] = csv.trimEnd().split('\n');
assert.ok(head?.startsWith('id,user_id,gateway,'));
assert.deepEqual(rows.map((row) => row.split(',')[4]), ['19.99', '5']);
