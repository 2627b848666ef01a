// Calls Steward's API.

/** An error reply of Steward, or none (status 0). `code` is for programs and never changes. */
export class StewardError extends Error {
  /** `reply` has the reason and the end of a block. */
  constructor(status, code, message, reply = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.reply = reply;
  }
}

// Steward asks Discord three times at the end of a sign-in, for up to 5 seconds each.
const LONGEST_MS = 20_000;

export class Steward {
  #url;
  #key;

  constructor(url, key) {
    this.#url = url;
    this.#key = key;
  }

  /** Sends a request and returns the body of the reply. */
  async call(method, path, body) {
    const headers = { 'X-API-Key': this.#key };
    if (body !== undefined) {
      headers['Content-Type'] = 'application/json';
    }
    const signal = AbortSignal.timeout(LONGEST_MS);
    let reply;
    let found;
    try {
      reply = await fetch(this.#url + path, {
        method,
        headers,
        body: JSON.stringify(body),
        signal,
      });
      found = await reply.json();
    } catch (error) {
      // Steward does not answer, or a proxy in front of it does, with a page of its own.
      throw new StewardError(reply?.status ?? 0, 'unknown', String(error.cause ?? error));
    }
    if (!reply.ok) {
      throw new StewardError(reply.status, found.code, found.message, found);
    }
    return found;
  }
}
