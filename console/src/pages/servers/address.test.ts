import { expect, test, vi } from "vitest";

vi.stubGlobal("window", { location: { origin: "http://127.0.0.1" } });
const { addressOf, isAddress, networksLine, withPlace } = await import("./address");
const { ApiError } = await import("../../api/error");

test("an address has its port after it, and IPv6 in brackets", () => {
  expect(addressOf({ ip: "192.0.2.7", port: 27015 })).toBe("192.0.2.7:27015");
  expect(addressOf({ ip: "2001:db8::7", port: 27015 })).toBe("[2001:db8::7]:27015");
});

test("what players paste is an address", () => {
  const good = ["play.example.org", "play.example.org:27015", "192.0.2.7:1", "[2001:db8::7]:27015"];
  for (const text of [...good, "2001:db8::7", "192.0.2.7"]) {
    expect(isAddress(text), text).toBe(true);
  }
  for (const text of ["", "a b", "steam://connect/192.0.2.7", "host:port", "http://a.example"]) {
    expect(isAddress(text), text).toBe(false);
  }
});

test("the networks become a line of steward.toml", () => {
  expect(networksLine(["192.0.2.7/32", "127.0.0.1/32"])).toBe(
    'server-networks = ["192.0.2.7/32", "127.0.0.1/32"]',
  );
});

test("faults of the IP address and the port are those of the address", async () => {
  const body = {
    code: "validation_failed" as const,
    message: "The request is invalid.",
    request_id: "1",
    errors: { port: ["is required"] },
    faults: [{ field: "port", code: "required" as const, params: {} }],
  };
  const refused = () => Promise.reject(new ApiError(422, body, null));
  await expect(withPlace({ name: "x" }, refused)).rejects.toMatchObject({
    faults: [{ field: "address", code: "required" }],
    errors: { address: ["is required"] },
  });
});
