import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';

import { serve } from './server.ts';
import { connect } from './steward.ts';

const url = process.env['STEWARD_URL'] ?? '';
const steward = connect(url, process.env['STEWARD_KEY'] ?? '');
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const x = publicKey.export({ format: 'jwk' })['x'];
const server = serve(steward, Buffer.from(String(x), 'base64url').toString('hex'));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
after(() => server.close());

function post(body: string, signed = body): Promise<Response> {
  const timestamp = '1700000000';
  const signature = sign(null, Buffer.from(timestamp + signed), privateKey).toString('hex');
  const headers = { 'X-Signature-Ed25519': signature, 'X-Signature-Timestamp': timestamp };
  return fetch(address, { method: 'POST', headers, body });
}

async function command(id: string, name: string, options: Record<string, string | number> = {}) {
  const data = { name, options: Object.entries(options).map(([name, value]) => ({ name, value })) };
  const reply = await post(JSON.stringify({ id, type: 2, data }));
  assert.equal(reply.status, 200);
  const body = (await reply.json()) as { type: number; data: { content: string } };
  assert.equal(body.type, 4);
  return body.data.content;
}

async function createPlayer(username: string): Promise<number> {
  const body = { username, email: `${username}@example.com`, password: 'correct horse' };
  const { data } = await steward.POST('/api/users', { body });
  return data?.user.id ?? 0;
}

test('a ping is answered', async () => {
  const reply = await post('{"id":"1","type":1}');
  assert.deepEqual(await reply.json(), { type: 1 });
});

test('a wrong, missing or overlong request gives 401', async () => {
  assert.equal((await post('{"id":"1","type":1}', '{"id":"2","type":1}')).status, 401);
  assert.equal((await fetch(address, { method: 'POST', body: '{}' })).status, 401);
  assert.equal((await post(' '.repeat(100_000))).status, 401);
});

test('a player is described', async () => {
  await createPlayer('anna');
  const text = await command('10', 'player', { name: 'Anna' });
  assert.match(text, /^anna: active, no roles, here since \d{4}-\d\d-\d\d\.$/);
  assert.equal(await command('11', 'player', { name: 'no' }), 'There is no player called no.');
  assert.equal(await command('12', 'player', { name: 'nobody' }), 'There is no player called nobody.');
});

test('a command that arrives twice blocks once', async () => {
  const id = await createPlayer('ben');
  const now = Date.now();
  const commandId = String(BigInt(now - Date.UTC(2015)) << 22n);
  const until = new Date(now + 7 * 86_400_000).toISOString();
  for (const _ of [1, 2]) {
    const text = await command(commandId, 'block', { name: 'ben', reason: 'Spam', days: 7 });
    assert.equal(text, `ben is blocked until ${until.slice(0, 10)}.`);
  }
  const { data } = await steward.GET('/api/users/{id}/blocks', { params: { path: { id } } });
  const blocks = data?.blocks.map((block) => [block.reason, block.until]);
  assert.deepEqual(blocks, [['Spam', `${until.slice(0, 19)}Z`]]);
});

test('a product is given once, and the player shows its end', async () => {
  const role = await steward.POST('/api/roles', { body: { name: 'VIP' } });
  const currency = await steward.POST('/api/currencies', {
    body: { code: 'EUR', exchange_rate: 1, minimum_value: 1 },
  });
  const step = { kind: 'role' as const, role_id: role.data?.role.id ?? 0, seconds: 30 * 86_400 };
  const prices = [{ currency_id: currency.data?.currency.id ?? 0, amount: 5 }];
  await steward.POST('/api/products', { body: { name: 'VIP', prices, steps: [step] } });
  await createPlayer('dora');
  const given = { name: 'dora', product: 'vip', reason: 'Won a cup' };
  for (const _ of [1, 2]) {
    assert.equal(await command('50', 'give', given), 'dora gets VIP.');
  }
  const end = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  assert.match(await command('51', 'player', { name: 'dora' }), new RegExp(`VIP until ${end}`));
  const unknown = await command('52', 'give', { ...given, product: 'Gold' });
  assert.equal(unknown, 'There is no product called Gold.');
});

test('an error of Steward is shown', async () => {
  await createPlayer('carla');
  const text = await command('30', 'block', { name: 'carla', reason: 'x'.repeat(1001) });
  assert.equal(text, 'The request is invalid.');
});

test('an enabled server has a line', async () => {
  assert.equal(await command('40', 'servers'), 'No server is enabled.');
  await steward.POST('/api/servers', {
    body: { name: 'Public', ip: '192.0.2.1', port: 27015, game: 'cs2', rcon_password: 'secret' },
  });
  assert.equal(await command('41', 'servers'), 'Public: 0/0 on no map, 192.0.2.1:27015');
});
