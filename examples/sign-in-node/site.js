// A site where players sign in with Steam and Discord.
//
//     SITE_URL=http://localhost:3000 STEWARD_URL=http://127.0.0.1:8080 STEWARD_KEY=stw_... npm start
//
// The key needs admin.sessions and admin.users, and Steward the option
// --sign-in-return-to "$SITE_URL/signed-in". With CREATE_USERS=off, a profile that no user has signs
// nobody in. Browsers keep the cookies on HTTPS and, to try it out, on localhost. Behind a proxy that
// has the certificate, set BEHIND_PROXY=on.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

import { ERRORS, PROVIDERS, errorPage, homePage } from './pages.js';
import { Steward, StewardError } from './steward.js';

const {
  SITE_URL,
  STEWARD_URL,
  STEWARD_KEY,
  CREATE_USERS,
  BEHIND_PROXY,
  PORT = '3000',
} = process.env;
if (!SITE_URL || !STEWARD_URL || !STEWARD_KEY) {
  throw new Error('Set SITE_URL, STEWARD_URL and STEWARD_KEY.');
}
const steward = new Steward(STEWARD_URL, STEWARD_KEY);

// With the prefix, browsers accept these cookies from this host and over HTTPS alone. Another host of
// the same domain cannot put its own in their place.
const SESSION = '__Host-session';
const SIGN_IN = '__Host-sign-in';
const FORM_TOKEN = '__Host-form-token';

// Steward expires a sign-in that was begun after 10 minutes, and a session as it is configured.
const SIGN_IN_SECONDS = 600;
const SESSION_SECONDS = 365 * 86_400;

const LONGEST_FORM = 4096;

/** A request and its reply. */
class Visit {
  constructor(request, response) {
    this.request = request;
    this.response = response;
    const [path, ...rest] = request.url.split('?');
    this.path = path;
    this.query = rest.join('?');
    this.form = new URLSearchParams();
  }

  /** The visitor's address. A proxy appends it to what the visitor may have sent in the header. */
  get clientIp() {
    const forwarded = this.request.headers['x-forwarded-for'] ?? '';
    return BEHIND_PROXY === 'on'
      ? forwarded.split(',').at(-1).trim()
      : this.request.socket.remoteAddress;
  }

  /** The value of a cookie, or nothing if it cannot be one that this site has set. */
  cookie(name) {
    const cookies = (this.request.headers.cookie ?? '').split('; ');
    const value =
      cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
    return /^[\w.]{1,255}$/.test(value) ? value : '';
  }

  /** Sets a cookie that no script can read. */
  setCookie(name, value, seconds) {
    const end = seconds === undefined ? '' : `; Max-Age=${seconds}`;
    // Strict does not work: the browser comes back from another site.
    this.response.appendHeader(
      'Set-Cookie',
      `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax${end}`,
    );
  }

  deleteCookie(name) {
    this.setCookie(name, '', 0);
  }

  /** The token in the forms of this browser. Another site can send a form, but without the token. */
  get formToken() {
    const token = this.cookie(FORM_TOKEN) || randomBytes(16).toString('hex');
    if (this.cookie(FORM_TOKEN) === '') {
      this.setCookie(FORM_TOKEN, token);
    }
    return token;
  }

  /** Reads the form that was sent, which must be from this site. */
  async readForm() {
    let text = '';
    for await (const part of this.request.setEncoding('utf8')) {
      text += part;
      if (text.length > LONGEST_FORM) {
        break;
      }
    }
    this.form = new URLSearchParams(text);
    const expected = Buffer.from(this.cookie(FORM_TOKEN));
    const sent = Buffer.from(this.form.get('form_token') ?? '');
    if (
      expected.length === 0 ||
      sent.length !== expected.length ||
      !timingSafeEqual(sent, expected)
    ) {
      throw new StewardError(403, 'forged_form', 'The form is not from this site.');
    }
  }

  redirect(url) {
    this.response.writeHead(303, { Location: url }).end();
  }

  show(status, page) {
    const headers = {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      // No scripts, and no frame around the buttons. Without form-action, which would also forbid
      // the redirect from a button to Steam.
      'Content-Security-Policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    };
    this.response.writeHead(status, headers).end(page);
  }
}

/** The player who is signed in, with roles. */
async function signedInPlayer(visit) {
  const token = visit.cookie(SESSION);
  if (token === '') {
    return undefined;
  }
  return (await steward.call('POST', '/api/sessions/verify?include=roles', { token })).user;
}

async function home(visit) {
  const player = await signedInPlayer(visit);
  const { identities } = player
    ? await steward.call('GET', `/api/users/${player.id}/identities`)
    : { identities: [] };
  visit.show(200, homePage(player, identities, visit.formToken));
}

/** Sends the visitor to Steam or Discord, to sign in, or to link the profile to a session. */
async function begin(visit, session) {
  const provider = visit.form.get('provider') ?? '';
  if (!Object.hasOwn(PROVIDERS, provider)) {
    throw new StewardError(404, 'not_found', 'There is no such provider.');
  }
  const begun = await steward.call('POST', `/api/sign-in/${provider}/start`, {
    // Never from the request: a visitor could name another host in it.
    return_to: `${SITE_URL}/signed-in`,
    // The limit of sign-ins counts the visitor's network, not that of the site.
    client_ip: visit.clientIp,
    ...session,
  });
  // The token is in this cookie alone, so an answer works only in the browser that began.
  visit.setCookie(SIGN_IN, `${provider}.${begun.browser_token}`, SIGN_IN_SECONDS);
  visit.redirect(begun.url);
}

async function link(visit) {
  const token = visit.cookie(SESSION);
  if (token === '') {
    throw new StewardError(422, 'session_invalid', 'Nobody is signed in.');
  }
  await begin(visit, { session_token: token });
}

/** Signs the visitor in who comes back from Steam or Discord. */
async function finish(visit) {
  const [provider, browserToken] = visit.cookie(SIGN_IN).split('.');
  if (!Object.hasOwn(PROVIDERS, provider) || visit.query === '') {
    throw new StewardError(422, 'sign_in_failed', 'This browser has not begun to sign in.');
  }
  const finished = await steward.call('POST', `/api/sign-in/${provider}/finish`, {
    // As it came: no URLSearchParams, which would write it in another way.
    query: visit.query,
    browser_token: browserToken,
    device_name: 'Website',
    user_agent: visit.request.headers['user-agent']?.slice(0, 500) || 'unknown',
    client_ip: visit.clientIp,
    create: CREATE_USERS !== 'off',
  });
  visit.deleteCookie(SIGN_IN);
  // Linking has no new session.
  if (finished.session_token !== undefined) {
    visit.setCookie(SESSION, finished.session_token, SESSION_SECONDS);
  }
  // The answer works once, so nobody should reload this page.
  visit.redirect('/');
}

async function unlink(visit) {
  const identity = visit.form.get('identity') ?? '';
  const player = await signedInPlayer(visit);
  // It becomes part of a path.
  if (player === undefined || !/^[0-9]{1,18}$/.test(identity)) {
    throw new StewardError(404, 'not_found', 'There is no such profile.');
  }
  // Steward unlinks it only if it is this player's.
  await steward.call('DELETE', `/api/users/${player.id}/identities/${identity}`);
  visit.redirect('/');
}

async function signOut(visit) {
  const token = visit.cookie(SESSION);
  if (token !== '') {
    await steward.call('DELETE', '/api/sessions', { token });
  }
  visit.deleteCookie(SESSION);
  visit.redirect('/');
}

const ROUTES = new Map([
  ['GET /', home],
  ['GET /signed-in', finish],
  ['POST /sign-in', begin],
  ['POST /link', link],
  ['POST /unlink', unlink],
  ['POST /sign-out', signOut],
]);

async function answer(visit) {
  const { method } = visit.request;
  const route = ROUTES.get(`${method} ${visit.path}`);
  if (route === undefined) {
    throw new StewardError(404, 'not_found', 'There is no such page.');
  }
  if (method === 'POST') {
    await visit.readForm();
  }
  await route(visit);
}

/** Shows what went wrong, with a way to begin again. */
function fail(visit, error) {
  if (error.code === 'session_invalid') {
    visit.deleteCookie(SESSION);
    visit.redirect('/');
    return;
  }
  const isExpected = ERRORS.has(error.code);
  if (!isExpected) {
    console.error('sign-in:', error.status, error.code, error.message);
  }
  const formToken = visit.cookie(SESSION) === '' ? undefined : visit.formToken;
  visit.show(isExpected ? error.status : 503, errorPage(error, formToken));
}

const server = createServer((request, response) => {
  const visit = new Visit(request, response);
  answer(visit).catch((error) => fail(visit, error));
});
server.listen(Number(PORT), '127.0.0.1');
