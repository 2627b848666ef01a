// What a player does on the site, in a browser. SITE is the folder of the example.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, afterEach, before, beforeEach, test } from 'node:test';

import { Community } from './community.mjs';

const { chromium } = createRequire(new URL('../../../console/', import.meta.url))(
  '@playwright/test',
);

const community = new Community();
const { providers, relay } = community;
let browser;

before(async () => {
  await community.start();
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
    ],
  });
});

after(async () => {
  await browser?.close();
  await community.stop();
});

afterEach(() => Promise.all(browser.contexts().map((context) => context.close())));

let count = 0;

beforeEach(() => {
  count += 1;
  relay.visitor = `192.0.2.${count}`;
  relay.requests.length = 0;
});

/** Ids that no other test has. */
const steamId = (number = 0) => String(76561197960265728n + BigInt(100 * count + number));
const discordId = (number = 0) => String(80351110224678912n + BigInt(100 * count + number));
const idAt = { Steam: steamId, Discord: discordId };

/** A browser with no cookies, on the home page of the site. */
async function visit(site = community.site) {
  const context = await browser.newContext();
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  await page.goto(site);
  return page;
}

const press = (page, name) => page.getByRole('button', { name, exact: true }).click();

/** Answers at the provider. */
async function confirm(page, provider, profile = idAt[provider]()) {
  await page.getByRole('heading', { name: provider, exact: true }).waitFor();
  await page.getByLabel('Profile').fill(profile);
  await press(page, 'Continue');
}

async function signIn(page, provider, profile) {
  await press(page, `Sign in with ${provider}`);
  await confirm(page, provider, profile);
}

async function linkProfile(page, provider, profile) {
  await press(page, `Link ${provider}`);
  await confirm(page, provider, profile);
}

/** Waits for a page of the site by its title. */
const shows = (page, title) => page.getByRole('heading', { level: 1, name: title }).waitFor();
const showsText = (page, text) => page.getByText(text).waitFor();
const isSignedOut = (page) => showsText(page, 'You are not signed in.');

/** The name of who is signed in. */
const player = (page) => page.getByText('You are signed in as').locator('strong').textContent();

async function linked(page) {
  await showsText(page, 'Your profiles');
  return page
    .locator('li')
    .evaluateAll((items) => items.map((item) => item.firstChild.textContent));
}

async function beginAgain(page) {
  await page.getByRole('link', { name: 'Begin again' }).click();
  await shows(page, 'Our community');
}

async function userId(page) {
  const name = await player(page);
  const { users } = await community.api('GET', `/api/users/search?q=${name}`);
  return users.find(({ username }) => username === name).id;
}

/** Changes a hidden field, as a player can. */
async function setField(page, name, value) {
  const field = page.locator(`[name=${name}]`).first();
  await field.evaluate((element, text) => (element.value = text), value);
}

async function cookie(page, name) {
  const cookies = await page.context().cookies(community.site);
  return cookies.find((cookie) => cookie.name === name);
}

const finishes = () => relay.requests.filter(({ path }) => path.endsWith('/finish'));

test('a player signs in with Steam, signs out, and is the same player the next time', async () => {
  const page = await visit();
  await isSignedOut(page);
  await signIn(page, 'Steam');
  const name = await player(page);
  assert.deepEqual(await linked(page), [`Steam ${steamId()}`]);
  await showsText(page, 'Your roles: none.');
  const session = await cookie(page, '__Host-session');
  await press(page, 'Sign out');
  await isSignedOut(page);
  // The session itself has ended, not just its cookie.
  await page.context().addCookies([session]);
  await page.reload();
  await isSignedOut(page);
  await signIn(page, 'Steam');
  assert.equal(await player(page), name);
});

test('a player who linked Discord signs in with it', async () => {
  const page = await visit();
  await signIn(page, 'Steam');
  const name = await player(page);
  await linkProfile(page, 'Discord');
  assert.deepEqual(await linked(page), [`Steam ${steamId()}`, `Discord ${discordId()}`]);
  assert.equal(await page.getByRole('button', { name: /^Link/ }).count(), 0);
  const other = await visit();
  await signIn(other, 'Discord');
  assert.equal(await player(other), name);
  assert.equal(providers.tokens.size, 0);
});

test('a player who began with Discord links Steam', async () => {
  const page = await visit();
  await signIn(page, 'Discord');
  const name = await player(page);
  await linkProfile(page, 'Steam');
  assert.equal(await player(page), name);
  assert.deepEqual(await linked(page), [`Discord ${discordId()}`, `Steam ${steamId()}`]);
});

test('a profile is unlinked, but not the only one', async () => {
  const page = await visit();
  await signIn(page, 'Steam');
  const name = await player(page);
  await linkProfile(page, 'Discord');
  await press(page, 'Unlink Discord');
  await page.getByRole('button', { name: 'Link Discord', exact: true }).waitFor();
  assert.deepEqual(await linked(page), [`Steam ${steamId()}`]);
  await press(page, 'Unlink Steam');
  await shows(page, 'This is your only way to sign in');
  await beginAgain(page);
  assert.deepEqual(await linked(page), [`Steam ${steamId()}`]);
  const other = await visit();
  await signIn(other, 'Discord');
  assert.notEqual(await player(other), name);
});

test('unlinking the profile that the session began with signs out', async () => {
  const page = await visit();
  await signIn(page, 'Steam');
  const name = await player(page);
  await linkProfile(page, 'Discord');
  await press(page, 'Unlink Steam');
  await isSignedOut(page);
  await signIn(page, 'Discord');
  assert.equal(await player(page), name);
});

test('nobody unlinks a profile of somebody else', async () => {
  const page = await visit();
  await signIn(page, 'Steam');
  const victim = await userId(page);
  const { identities } = await community.api('GET', `/api/users/${victim}/identities`);
  const other = await visit();
  await signIn(other, 'Steam', steamId(1));
  for (const identity of [
    `${identities[0].id}`,
    `../../${victim}/identities/${identities[0].id}`,
    '',
  ]) {
    await setField(other, 'identity', identity);
    await press(other, 'Unlink Steam');
    await shows(other, 'There is nothing here');
    await beginAgain(other);
  }
  const kept = await community.api('GET', `/api/users/${victim}/identities`);
  assert.deepEqual(kept.identities, identities);
});

for (const provider of ['Steam', 'Discord']) {
  test(`a player who declines at ${provider} is told so, and begins again`, async () => {
    const page = await visit();
    await press(page, `Sign in with ${provider}`);
    await press(page, 'Cancel');
    await shows(page, 'You were not signed in');
    await beginAgain(page);
    await isSignedOut(page);
    await signIn(page, provider);
    await player(page);
  });

  test(`while ${provider} is down, a page says so, and reloading it signs in later`, async () => {
    const page = await visit();
    await press(page, `Sign in with ${provider}`);
    providers.down = true;
    try {
      await confirm(page, provider);
      await shows(page, 'Steam or Discord does not answer');
    } finally {
      providers.down = false;
    }
    await page.reload();
    await player(page);
  });
}

test('reloading the return page after a sign-in changes nothing', async () => {
  const page = await visit();
  await signIn(page, 'Steam');
  const name = await player(page);
  assert.equal(page.url(), `${community.site}/`);
  await page.reload();
  assert.equal(await player(page), name);
  // The answer a second time.
  await page.goto(providers.answers.at(-1));
  await shows(page, 'The sign-in did not work');
  await page.reload();
  await shows(page, 'The sign-in did not work');
  await beginAgain(page);
  assert.equal(await player(page), name);
});

test('an answer that is opened in another browser signs nobody in', async () => {
  const page = await visit();
  await press(page, 'Sign in with Steam');
  providers.holds = true;
  try {
    await confirm(page, 'Steam');
    await showsText(page, 'Held.');
  } finally {
    providers.holds = false;
  }
  const answer = providers.answers.at(-1);
  const empty = await visit();
  await empty.goto(answer);
  await shows(empty, 'The sign-in did not work');
  assert.deepEqual(finishes(), []);
  await beginAgain(empty);
  await isSignedOut(empty);
  // A browser that has begun a sign-in of its own.
  const busy = await visit();
  await press(busy, 'Sign in with Steam');
  await shows(busy, 'Steam');
  await busy.goto(answer);
  await shows(busy, 'The sign-in did not work');
  assert.equal(finishes().length, 1);
  await beginAgain(busy);
  await isSignedOut(busy);
  // The answer still works where it belongs.
  await page.goto(answer);
  await player(page);
});

test('Steward gets the query as it came and the address of the visitor', async () => {
  const page = await visit();
  await signIn(page, 'Steam');
  const agent = await page.evaluate(() => navigator.userAgent);
  const [start] = relay.requests.filter(({ path }) => path.endsWith('/start'));
  const [finish] = finishes();
  const returnTo = `${community.site}/signed-in`;
  assert.deepEqual(start.body, { return_to: returnTo, client_ip: '127.0.0.1' });
  const { browser_token: token, ...rest } = finish.body;
  assert.match(token, /^stb_/);
  assert.deepEqual(rest, {
    query: providers.answers.at(-1).slice(returnTo.length + 1),
    device_name: 'Website',
    user_agent: agent,
    client_ip: '127.0.0.1',
    create: true,
  });
});

if (process.env.SITE === 'sign-in-node') {
  test('behind a proxy, the address is the one that the proxy has appended', async () => {
    const site = await community.startSite({ STEWARD_KEY: 'any', BEHIND_PROXY: 'on' });
    const headers = {
      Cookie: '__Host-form-token=a',
      'X-Forwarded-For': '198.51.100.1, 203.0.113.5',
    };
    const body = new URLSearchParams({ form_token: 'a', provider: 'steam' });
    await fetch(`${site.replace('localhost', '127.0.0.1')}/sign-in`, {
      method: 'POST',
      headers,
      body,
    });
    assert.equal(relay.requests[0].body.client_ip, '203.0.113.5');
  });
}

test('no script reads the cookies, and each is for this host over HTTPS', async () => {
  const page = await visit();
  await press(page, 'Sign in with Steam');
  const during = await page.context().cookies(community.site);
  const now = Date.now() / 1000;
  const lifetime = (await cookie(page, '__Host-sign-in')).expires - now;
  assert.ok(lifetime > 500 && lifetime <= 601, `${lifetime}`);
  await confirm(page, 'Steam');
  await player(page);
  const afterwards = await page.context().cookies(community.site);
  assert.deepEqual(during.map(({ name }) => name).sort(), ['__Host-form-token', '__Host-sign-in']);
  assert.deepEqual(afterwards.map(({ name }) => name).sort(), [
    '__Host-form-token',
    '__Host-session',
  ]);
  for (const { httpOnly, secure, sameSite, path } of [...during, ...afterwards]) {
    assert.deepEqual(
      { httpOnly, secure, sameSite, path },
      { httpOnly: true, secure: true, sameSite: 'Lax', path: '/' },
    );
  }
  for (const { value } of [...during, ...afterwards].filter(
    ({ name }) => name !== '__Host-form-token',
  )) {
    assert.ok(!(await page.content()).includes(value));
  }
});

test('no page is framed, cached or given scripts', async () => {
  for (const path of ['/', '/signed-in?state=a', '/nowhere']) {
    const { headers } = await fetch(community.site.replace('localhost', '127.0.0.1') + path);
    const policy = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";
    assert.equal(headers.get('content-security-policy'), policy);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
  }
});

test('a form of another site does nothing', async () => {
  const page = await visit();
  await signIn(page, 'Steam');
  const name = await player(page);
  const [{ id }] = (await community.api('GET', `/api/users/${await userId(page)}/identities`))
    .identities;
  const elsewhere = providers.origin;
  // The same site for the browser, which sends the cookies of SameSite=Lax as well.
  const beside = elsewhere.replace('127.0.0.1', 'localhost');
  const forms = [
    [elsewhere, '/sign-in', { provider: 'steam' }],
    [beside, '/sign-in', { provider: 'steam' }],
    [beside, '/link', { provider: 'discord' }],
    [beside, '/unlink', { identity: id }],
    [beside, '/sign-out', {}],
    [beside, '/sign-out', { form_token: '0123456789abcdef0123456789abcdef' }],
  ];
  relay.requests.length = 0;
  for (const [host, path, fields] of forms) {
    const query = new URLSearchParams({ action: community.site + path, ...fields });
    await page.goto(`${host}/forged?${query}`);
    await press(page, 'Win');
    await shows(page, 'This form has expired');
  }
  assert.deepEqual(relay.requests, []);
  await beginAgain(page);
  assert.equal(await player(page), name);
});

test('a redirect leads only to the provider', async () => {
  const page = await visit();
  for (const provider of ['https://evil.example', '../../users', 'toString']) {
    await setField(page, 'provider', provider);
    await press(page, 'Sign in with Steam');
    await shows(page, 'There is nothing here');
    await page.goto(community.site);
  }
  await page.goto(`${community.site}//evil.example/`);
  await shows(page, 'There is nothing here');
  await page.goto(`${community.site}/?url=https://evil.example/`);
  await isSignedOut(page);
  assert.deepEqual(relay.requests, []);
});

test('a profile of another member cannot be linked', async () => {
  const page = await visit();
  await signIn(page, 'Discord');
  const other = await visit();
  await signIn(other, 'Steam');
  await linkProfile(other, 'Discord');
  await shows(other, 'This profile belongs to another member');
  await beginAgain(other);
  assert.deepEqual(await linked(other), [`Steam ${steamId()}`]);
});

test('a sign-out elsewhere ends linking, and the player begins again', async () => {
  const page = await visit();
  await signIn(page, 'Steam');
  const { value: token } = await cookie(page, '__Host-session');
  await community.api('DELETE', '/api/sessions', { token });
  await press(page, 'Link Discord');
  await isSignedOut(page);
});

test('only members sign in where no users are created', async () => {
  const page = await visit(community.membersSite);
  await signIn(page, 'Steam');
  await shows(page, 'We do not know this profile');
  await beginAgain(page);
  await isSignedOut(page);
  const open = await visit();
  await signIn(open, 'Steam');
  const name = await player(open);
  await signIn(page, 'Steam');
  assert.equal(await player(page), name);
  await linkProfile(page, 'Discord');
  assert.deepEqual(await linked(page), [`Steam ${steamId()}`, `Discord ${discordId()}`]);
});

test('a blocked player reads why and until when', async () => {
  const page = await visit();
  await signIn(page, 'Steam');
  const id = await userId(page);
  const until = '2099-05-06T07:08:00Z';
  await community.api('POST', `/api/users/${id}/block`, { reason: '<b>Cheating</b>', until });
  await page.reload();
  const expected = 'Until 2099-05-06, 07:08 UTC. Reason: <b>Cheating</b>';
  await shows(page, 'You are blocked');
  await showsText(page, expected);
  await press(page, 'Sign out');
  await isSignedOut(page);
  await signIn(page, 'Steam');
  await shows(page, 'You are blocked');
  await showsText(page, expected);
  await beginAgain(page);
  await isSignedOut(page);
  await community.api('POST', `/api/users/${id}/unblock`);
  await community.api('POST', `/api/users/${id}/block`);
  await signIn(page, 'Steam');
  await showsText(page, /^For ever\.$/);
});

test('roles and names are shown as text, with the end of a role', async () => {
  const page = await visit();
  await signIn(page, 'Steam');
  const id = await userId(page);
  const name = `<img src=x onerror=alert(1)> & "it's"`;
  await community.api('PUT', `/api/users/${id}`, { username: name });
  const role = await community.api('POST', '/api/roles', { name: '<i>VIP</i>' });
  const expires_at = '2099-01-02T03:04:05Z';
  await community.api('PUT', `/api/users/${id}/roles/${role.role.id}`, { expires_at });
  const member = await community.api('POST', '/api/roles', { name: 'Member' });
  await community.api('PUT', `/api/users/${id}/roles/${member.role.id}`);
  await page.reload();
  assert.equal(await player(page), name);
  await showsText(
    page,
    /^Your roles: (<i>VIP<\/i> until 2099-01-02, Member|Member, <i>VIP<\/i> until 2099-01-02)\.$/,
  );
  assert.equal(await page.locator('img, i').count(), 0);
});

test('while Steward is down, a page says so', async () => {
  const page = await visit();
  relay.down = true;
  try {
    await press(page, 'Sign in with Steam');
    await shows(page, 'Signing in does not work right now');
  } finally {
    relay.down = false;
  }
  await beginAgain(page);
  await signIn(page, 'Steam');
  await player(page);
});

test('after 30 sign-ins from a network within a minute, a page asks for patience', async () => {
  const body = { return_to: `${community.site}/signed-in`, client_ip: relay.visitor };
  for (let begun = 0; begun < 30; begun += 1) {
    await community.api('POST', '/api/sign-in/steam/start', body);
  }
  const page = await visit();
  await press(page, 'Sign in with Steam');
  await shows(page, 'Too many attempts');
  await beginAgain(page);
});

test('the providers refused nothing', () => {
  assert.deepEqual(providers.refused, []);
});
