import createClient from "openapi-fetch";
import { untilAnswers } from "../service";
import { Attempts } from "./attempts";
import { ApiError } from "./error";
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];

/** Where people sign in: without a session, and without an `Idempotency-Key`. */
const SIGN_IN = new Set(["/api/console/session", "/api/console/setup", "/api/console/setup/check"]);

const attempts = new Attempts();

let renewSession: () => Promise<void> = () =>
  Promise.reject(new Error("the console has not started"));

/** Sets what happens when a session has ended: it resolves once the person has signed in again. */
export function onSessionEnd(renew: () => Promise<void>): void {
  renewSession = renew;
}

let confirmSession: () => Promise<boolean> = () => Promise.resolve(false);

/**
 * Sets what happens when the service wants the person to confirm who they are. It resolves to
 * whether they did.
 */
export function onConfirmationRequired(confirm: () => Promise<boolean>): void {
  confirmSession = confirm;
}

let requireTwoFactor: () => void = () => undefined;

/** Sets what happens when the service wants a second factor before anything else. */
export function onTwoFactorRequired(act: () => void): void {
  requireTwoFactor = act;
}

async function refusal(response: Response): Promise<ApiError> {
  const error = await ApiError.from(response);
  if (error.status === 403 && error.code === "two_factor_required") {
    requireTwoFactor();
  }
  return error;
}

/** As the browser's own, but the console says so if the service does not answer. */
async function ask(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    if (!request.signal.aborted) {
      void untilAnswers();
    }
    throw error;
  }
}

/**
 * Sends a request. If the session has ended, it waits until the person has signed in again and
 * sends the request once more, so that no work is lost. If the service wants a confirmation of who
 * they are, it waits for that, too.
 */
async function send(request: Request): Promise<Response> {
  const path = new URL(request.url).pathname;
  if (SIGN_IN.has(path)) {
    return ask(request);
  }
  const isWrite = request.method !== "GET";
  const write = isWrite ? `${request.method} ${path} ${await request.clone().text()}` : "";
  const attempt = async () => {
    if (isWrite) {
      request.headers.set("Idempotency-Key", attempts.key(write));
    }
    let response = await ask(request.clone());
    while (response.status === 401) {
      await renewSession();
      response = await ask(request.clone());
    }
    if (isWrite) {
      attempts.answered(write, response.status);
    }
    return response;
  };
  const response = await attempt();
  return (await isUnconfirmed(response)) && (await confirmSession()) ? attempt() : response;
}

async function isUnconfirmed(response: Response): Promise<boolean> {
  return (
    response.status === 403 &&
    (await ApiError.from(response.clone())).code === "confirmation_required"
  );
}

/** The API, typed by its OpenAPI document. A reply that is not a success is thrown as `ApiError`. */
export const api = createClient<paths>({ baseUrl: window.location.origin, fetch: send });

api.use({
  async onResponse({ response }) {
    if (!response.ok) {
      throw await refusal(response);
    }
  },
});

/** The body of a successful reply. */
export async function body<T>(reply: Promise<{ data?: T }>): Promise<T> {
  const { data } = await reply;
  return data as T;
}

/** For addresses that are put together at run time, as those of lists. */
export async function request(method: string, path: string, options: RequestOptions = {}) {
  const headers = new Headers({ Accept: "application/json" });
  if (options.ifMatch !== undefined) {
    headers.set("If-Match", options.ifMatch);
  }
  const init: RequestInit = { method, headers };
  if (options.signal !== undefined) {
    init.signal = options.signal;
  }
  if (options.body !== undefined) {
    headers.set("Content-Type", "application/json");
    init.body = JSON.stringify(options.body);
  }
  const response = await send(new Request(new URL(path, window.location.origin), init));
  if (!response.ok) {
    throw await refusal(response);
  }
  return { headers: response.headers, body: (await response.json()) as Record<string, unknown> };
}

/** For replies that are read piece by piece, such as exports. */
export async function stream(path: string, signal: AbortSignal): Promise<Response> {
  const response = await send(new Request(new URL(path, window.location.origin), { signal }));
  if (!response.ok) {
    throw await refusal(response);
  }
  return response;
}

interface RequestOptions {
  body?: unknown;
  ifMatch?: string | undefined;
  signal?: AbortSignal | undefined;
}
