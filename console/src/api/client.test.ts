// @vitest-environment node
import { beforeEach, expect, test, vi } from "vitest";

vi.stubGlobal("window", { location: { origin: "http://127.0.0.1" } });
const { onConfirmationRequired, request } = await import("./client");

const UNCONFIRMED = { code: "confirmation_required", message: "Confirm.", request_id: "1" };

/** The requests that were sent, and the statuses that they get: 403 is the wish to confirm. */
let sent: Request[] = [];
let statuses: number[] = [];
vi.stubGlobal("fetch", (sending: Request) => {
  sent.push(sending);
  const status = statuses.shift() ?? 200;
  return Promise.resolve(Response.json(status === 403 ? UNCONFIRMED : {}, { status }));
});

beforeEach(() => {
  sent = [];
});

const create = () => request("POST", "/api/api-keys", { body: { name: "Bot" } });

test("a request that needs a confirmation is sent again after it, as another write", async () => {
  const confirm = vi.fn(() => Promise.resolve(true));
  onConfirmationRequired(confirm);
  statuses = [403, 200];
  await create();
  expect(confirm).toHaveBeenCalledTimes(1);
  expect(await Promise.all(sent.map((one) => one.text()))).toEqual(Array(2).fill('{"name":"Bot"}'));
  expect(new Set(sent.map(({ headers }) => headers.get("Idempotency-Key"))).size).toBe(2);
});

test("it is sent again once only", async () => {
  onConfirmationRequired(() => Promise.resolve(true));
  statuses = [403, 403];
  await expect(create()).rejects.toMatchObject({ status: 403, code: "confirmation_required" });
  expect(sent).toHaveLength(2);
});

test("without the confirmation it is not sent again", async () => {
  onConfirmationRequired(() => Promise.resolve(false));
  statuses = [403];
  await expect(create()).rejects.toMatchObject({ code: "confirmation_required" });
  expect(sent).toHaveLength(1);
});
