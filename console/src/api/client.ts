import createClient from "openapi-fetch";
import { Attempts } from "./attempts";
import { ApiError } from "./error";
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];

/** Where people sign in: without a session, and without an `Idempotency-Key`. */
const SIGN_IN = new Set(["/api/console/session", "/api/console/setup"]);

const attempts = new Attempts();

let renewSession: () => Promise<void> = () =>
  Promise.reject(new Error("the console has not started"));

/** Sets what happens when a session has ended: it resolves once the person has signed in again. */
export function onSessionEnd(renew: () => Promise<void>): void {
  renewSession = renew;
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

/**
 * Sends a request. If the session has ended, it waits until the person has signed in again and
 * sends the request once more, so that no work is lost.
 */
async function send(request: Request): Promise<Response> {
  const path = new URL(request.url).pathname;
  if (SIGN_IN.has(path)) {
    return fetch(request);
  }
  const isWrite = request.method !== "GET";
  const write = isWrite ? `${request.method} ${path} ${await request.clone().text()}` : "";
  if (isWrite) {
    request.headers.set("Idempotency-Key", attempts.key(write));
  }
  let response = await fetch(request.clone());
  while (response.status === 401) {
    await renewSession();
    response = await fetch(request.clone());
  }
  if (isWrite) {
    attempts.answered(write, response.status);
  }
  return response;
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
