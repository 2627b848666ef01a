// Steam and Discord for tests, on 127.0.0.1. They are strict: what the real ones refuse is refused
// here.
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

export const CLIENT_ID = '1234567890';
export const CLIENT_SECRET = 'the-client-secret-of-the-tests';

const OPENID = 'http://specs.openid.net/auth/2.0';
const STEAM = 'https://steamcommunity.com/openid/login';

/** A request that a provider refuses, and why. */
class Refused extends Error {}

function demand(holds, reason) {
  if (!holds) {
    throw new Refused(reason);
  }
}

const random = () => randomBytes(16).toString('hex');

export async function readText(request) {
  let text = '';
  for await (const part of request.setEncoding('utf8')) {
    text += part;
  }
  return text;
}

/** The page of a provider, where the visitor types a profile. Its form goes to its own address. */
function page(provider) {
  return `<!doctype html><title>${provider}</title><h1>${provider}</h1><form method="post">
    <label>Profile <input name="profile"></label><button name="answer" value="yes">Continue</button>
    <button name="answer" value="no">Cancel</button></form>`;
}

export class Providers {
  /** Whether Steward's connections are closed. Visitors still see the pages. */
  down = false;
  /** Whether visitors are not sent back, as if their connection had failed. */
  holds = false;
  /** The reasons of requests that were refused. */
  refused = [];
  /** The addresses to which visitors are sent back. */
  answers = [];
  /** The pages to which Discord may send visitors back. */
  redirects = [];
  /** Discord's tokens that were not revoked yet, with their users. */
  tokens = new Map();
  #codes = new Map();
  #nonces = new Set();
  #key = randomBytes(32);
  #server = createServer((request, response) => this.#serve(request, response));

  async start() {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.origin = `http://127.0.0.1:${this.#server.address().port}`;
  }

  stop() {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #serve(request, response) {
    const { pathname, search } = new URL(request.url, this.origin);
    const body = new URLSearchParams(await readText(request));
    const isFromSteward = pathname.startsWith('/api/') || body.has('openid.mode');
    if (this.down && isFromSteward) {
      request.socket.destroy();
      return;
    }
    const route = `${request.method} ${pathname}`;
    try {
      switch (route) {
        case 'GET /openid/login':
          this.#checkSteam(new URLSearchParams(search));
          response.setHeader('Content-Type', 'text/html').end(page('Steam'));
          return;
        case 'GET /oauth2/authorize':
          this.#checkDiscord(new URLSearchParams(search));
          response.setHeader('Content-Type', 'text/html').end(page('Discord'));
          return;
        case 'POST /openid/login':
          if (body.get('openid.mode') === 'check_authentication') {
            response.end(`ns:${OPENID}\nis_valid:${this.#isOwnAnswer(body)}\n`);
            return;
          }
          this.#sendBack(response, this.#steamAnswer(new URLSearchParams(search), body));
          return;
        case 'POST /oauth2/authorize':
          this.#sendBack(response, this.#discordAnswer(new URLSearchParams(search), body));
          return;
        case 'POST /api/v10/oauth2/token':
          response.end(JSON.stringify(this.#exchange(request, body)));
          return;
        case 'GET /api/v10/users/@me':
          response.end(JSON.stringify(this.#me(request)));
          return;
        case 'POST /api/v10/oauth2/token/revoke':
          this.#checkApplication(request);
          demand(this.tokens.delete(body.get('token')), 'an unknown token is revoked');
          response.end('{}');
          return;
        case 'GET /forged':
          response.setHeader('Content-Type', 'text/html').end(forged(new URLSearchParams(search)));
          return;
        default:
          throw new Refused(`no such page: ${route}`);
      }
    } catch (error) {
      if (!(error instanceof Refused)) {
        throw error;
      }
      this.refused.push(error.message);
      response.writeHead(400).end(error.message);
    }
  }

  #sendBack(response, url) {
    this.answers.push(url);
    if (this.holds) {
      response.end('Held.');
      return;
    }
    response.writeHead(302, { Location: url }).end();
  }

  #checkSteam(query) {
    const get = (name) => query.get(`openid.${name}`) ?? '';
    demand(get('ns') === OPENID && get('mode') === 'checkid_setup', 'not a request of OpenID 2.0');
    for (const name of ['identity', 'claimed_id']) {
      demand(get(name) === `${OPENID}/identifier_select`, `another ${name}`);
    }
    demand(get('return_to').startsWith(`${get('realm')}/`), 'return_to is outside of the realm');
  }

  #steamAnswer(query, body) {
    this.#checkSteam(query);
    const returnTo = query.get('openid.return_to');
    if (body.get('answer') === 'no') {
      return `${returnTo}&openid.ns=${encodeURIComponent(OPENID)}&openid.mode=cancel`;
    }
    const profile = `https://steamcommunity.com/openid/id/${body.get('profile')}`;
    const fields = {
      ns: OPENID,
      mode: 'id_res',
      op_endpoint: STEAM,
      claimed_id: profile,
      identity: profile,
      return_to: returnTo,
      response_nonce: `${new Date().toISOString().slice(0, 19)}Z${random()}`,
      assoc_handle: '1234567890',
      signed: 'signed,op_endpoint,claimed_id,identity,return_to,response_nonce,assoc_handle',
    };
    fields.sig = this.#signature((name) => fields[name]);
    // Steam escapes more than is needed, and what it escapes differs from what browsers and
    // libraries do. Who parses and writes the query again changes it.
    const escape = (text) => encodeURIComponent(text).replaceAll('-', '%2d');
    const pairs = Object.entries(fields).map(([name, value]) => `openid.${name}=${escape(value)}`);
    return `${returnTo}&${pairs.join('&')}`;
  }

  #signature(get) {
    const signed = get('signed')
      .split(',')
      .map((name) => `${name}:${get(name)}\n`);
    return createHmac('sha256', this.#key).update(signed.join('')).digest('base64');
  }

  /** Confirms an answer once. */
  #isOwnAnswer(body) {
    const get = (name) => body.get(`openid.${name}`) ?? '';
    const nonce = get('response_nonce');
    if (get('sig') !== this.#signature(get) || this.#nonces.has(nonce)) {
      return false;
    }
    this.#nonces.add(nonce);
    return true;
  }

  #checkDiscord(query) {
    demand(query.get('response_type') === 'code', 'another response_type');
    demand(query.get('client_id') === CLIENT_ID, 'another client_id');
    demand(query.get('scope') === 'identify', 'another scope');
    demand(query.get('code_challenge_method') === 'S256', 'another code_challenge_method');
    demand(/^[\w-]{43}$/.test(query.get('code_challenge')), 'a malformed code_challenge');
    demand(this.redirects.includes(query.get('redirect_uri')), 'an unknown redirect_uri');
  }

  #discordAnswer(query, body) {
    this.#checkDiscord(query);
    const state = encodeURIComponent(query.get('state'));
    const redirect = query.get('redirect_uri');
    if (body.get('answer') === 'no') {
      return `${redirect}?error=access_denied&error_description=The+resource+owner+denied&state=${state}`;
    }
    const code = random();
    this.#codes.set(code, {
      redirect,
      challenge: query.get('code_challenge'),
      user: body.get('profile'),
    });
    return `${redirect}?code=${code}&state=${state}`;
  }

  #checkApplication(request) {
    const basic = Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64');
    demand(request.headers.authorization === `Basic ${basic}`, 'not the application');
  }

  #exchange(request, body) {
    this.#checkApplication(request);
    demand(body.get('grant_type') === 'authorization_code', 'another grant_type');
    const code = this.#codes.get(body.get('code'));
    demand(code !== undefined, 'an unknown or used code');
    this.#codes.delete(body.get('code'));
    demand(body.get('redirect_uri') === code.redirect, 'another redirect_uri');
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    demand(challenge === code.challenge, 'the verifier is not that of the challenge');
    const token = random();
    this.tokens.set(token, code.user);
    return { access_token: token, token_type: 'Bearer', expires_in: 604_800, scope: 'identify' };
  }

  #me(request) {
    const id = this.tokens.get(request.headers.authorization?.replace('Bearer ', ''));
    demand(id !== undefined, 'an unknown token');
    return { id, username: 'gordon' };
  }
}

/** The page of an attacker: a form for another site, with the fields of the query. */
function forged(query) {
  const fields = [...query].filter(([name]) => name !== 'action');
  const inputs = fields.map(([name, value]) => `<input name="${name}" value="${value}">`);
  return `<form method="post" action="${query.get('action')}">${inputs.join('')}<button>Win</button></form>`;
}
