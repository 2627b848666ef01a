// A community: the providers, Steward and the site, each a server of its own on loopback.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { CLIENT_ID, CLIENT_SECRET, Providers, readText } from './providers.mjs';

const ADMIN_KEY = 'the-key-of-the-site-tests';
const PERMISSIONS = ['admin.sessions', 'admin.users'];
const FOLDER = fileURLToPath(new URL(`../../../examples/${process.env.SITE}`, import.meta.url));

/** How the site of a folder is started. */
const COMMANDS = {
  'sign-in-node': () => ['node', 'site.js'],
  'sign-in-php': (port) => ['php', '-S', `127.0.0.1:${port}`, 'index.php'],
};

/** A file for what a program writes, in the folder that scripts/clients gives. */
const log = (name) => openSync(join(process.env.OUTPUT, `${name}.log`), 'w');

/** Stands between the site and Steward, and records what the site sends. */
class Relay {
  /** Where Steward is. */
  target = '';
  /** Each with its method, path and body. */
  requests = [];
  /** Whether connections are closed instead of passed on. */
  down = false;
  /**
   * What Steward is told to be the visitor's address. It allows 30 sign-ins a minute for one, and
   * all tests together begin more.
   */
  visitor = '';
  #server = createServer((request, response) => this.#pass(request, response));

  async start() {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.origin = `http://127.0.0.1:${this.#server.address().port}`;
  }

  stop() {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #pass(request, response) {
    const { method, url: path, headers } = request;
    const text = await readText(request);
    const body = text === '' ? undefined : JSON.parse(text);
    this.requests.push({ method, path, body });
    if (this.down) {
      request.socket.destroy();
      return;
    }
    const passed = body?.client_ip === undefined ? body : { ...body, client_ip: this.visitor };
    const reply = await fetch(this.target + path, {
      method,
      headers: { 'X-API-Key': headers['x-api-key'], 'Content-Type': 'application/json' },
      body: passed && JSON.stringify(passed),
    });
    response.writeHead(reply.status).end(await reply.text());
  }
}

export class Community {
  providers = new Providers();
  relay = new Relay();
  #folder = mkdtempSync(join(tmpdir(), 'steward-sites-'));
  #siteLog = log('site');
  #stewardLog = log('steward');
  #programs = [];

  async start() {
    await this.providers.start();
    await this.relay.start();
    const environment = { ...process.env, STEWARD_ADMIN_KEY: ADMIN_KEY };
    const words = PERMISSIONS.flatMap((name) => ['--permission', name]);
    const create = ['key', 'create', '--name', 'site', ...words];
    const options = { cwd: this.#folder, env: environment, stdio: ['ignore', 'pipe', 'ignore'] };
    const key = execFileSync(process.env.PROGRAM, create, options).toString().trim();
    // The sites come first: their addresses are a setting of Steward.
    this.site = await this.startSite({ STEWARD_KEY: key });
    this.membersSite = await this.startSite({ STEWARD_KEY: key, CREATE_USERS: 'off' });
    const pages = [this.site, this.membersSite].map((site) => `${site}/signed-in`);
    this.providers.redirects = pages;
    await this.#startSteward(pages, environment);
  }

  async stop() {
    const running = this.#programs.filter(({ exitCode }) => exitCode === null);
    const exits = running.map((program) => once(program, 'exit'));
    running.forEach((program) => program.kill());
    await Promise.all(exits);
    this.providers.stop();
    this.relay.stop();
    rmSync(this.#folder, { recursive: true });
  }

  /** Calls Steward as its operator. */
  async api(method, path, body) {
    const reply = await fetch(this.relay.target + path, {
      method,
      headers: { 'X-API-Key': ADMIN_KEY, 'Content-Type': 'application/json' },
      body: body && JSON.stringify(body),
    });
    const text = await reply.text();
    if (!reply.ok) {
      throw new Error(`${method} ${path}: ${text}`);
    }
    return JSON.parse(text);
  }

  /**
   * Starts a site and returns its address. Its name is not that of the providers, so that they are
   * another site for the browser, as Steam is.
   */
  async startSite(settings) {
    for (let attempt = 0; attempt < 20; attempt += 1) {
      // Below the ports that connections get, so only another server can have it.
      const port = 20_000 + Math.floor(Math.random() * 10_000);
      const site = `http://localhost:${port}`;
      const [program, ...words] = COMMANDS[process.env.SITE](port);
      const environment = {
        PORT: port,
        SITE_URL: site,
        STEWARD_URL: this.relay.origin,
        ...settings,
      };
      const running = spawn(program, words, {
        cwd: FOLDER,
        env: { ...process.env, ...environment },
        stdio: ['ignore', this.#siteLog, this.#siteLog],
      });
      this.#programs.push(running);
      // Rejects if there is no such program.
      await once(running, 'spawn');
      if (await isListening(running, port)) {
        return site;
      }
    }
    throw new Error(`${process.env.SITE} does not start`);
  }

  async #startSteward(pages, environment) {
    const secret = join(this.#folder, 'client-secret');
    writeFileSync(secret, CLIENT_SECRET, { mode: 0o600 });
    const settings = {
      listen: '127.0.0.1:0',
      'server-query': 'off',
      'log-level': 'info',
      'sign-in-return-to': pages.join(','),
      'steam-sign-in': 'on',
      'steam-url': `${this.providers.origin}/openid/login`,
      'discord-client-id': CLIENT_ID,
      'discord-client-secret-file': secret,
      'discord-url': `${this.providers.origin}/api/v10`,
    };
    const words = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
    const stdio = ['ignore', 'pipe', this.#stewardLog];
    const running = spawn(process.env.PROGRAM, words, {
      cwd: this.#folder,
      env: environment,
      stdio,
    });
    this.#programs.push(running);
    for await (const line of createInterface(running.stdout)) {
      const [, address] = /listening on (\S+)/.exec(line) ?? [];
      if (address !== undefined) {
        this.relay.target = address;
        return;
      }
    }
    throw new Error('Steward does not start');
  }
}

/** Whether the program listens. It ends if it cannot. */
async function isListening(program, port) {
  while (program.exitCode === null) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      // Another server could have the port, in the moment before the program ends.
      await sleep(50);
      return program.exitCode === null;
    } catch {
      await sleep(20);
    } finally {
      socket.destroy();
    }
  }
  return false;
}
