import { expect, test } from "./support";

function directives(policy: string | undefined): Map<string, string[]> {
  const parts = (policy ?? "").split(";").map((part) => part.trim().split(/\s+/));
  return new Map(parts.map(([name, ...sources]) => [name ?? "", sources]));
}

test(
  "the policy allows no inline script and no other host",
  { tag: "@core" },
  async ({ request, steward }) => {
    const reply = await request.get(steward.url("/"));
    const policy = directives(reply.headers()["content-security-policy"]);
    expect(policy.get("default-src")).toEqual(["'none'"]);
    expect(policy.get("script-src")).toEqual(["'self'"]);
    expect(policy.get("frame-ancestors")).toEqual(["'none'"]);
    for (const [name, sources] of policy) {
      expect(sources, name).not.toContain("'unsafe-inline'");
      expect(sources, name).not.toContain("'unsafe-eval'");
      expect(sources.join(" "), name).not.toMatch(/https?:|\*/);
    }
    expect(await reply.text()).not.toMatch(/<script(?![^>]*\bsrc=)/);
  },
);

test(
  "every page has a nonce of its own and is never cached",
  { tag: "@core" },
  async ({ request, steward }) => {
    const [one, two] = [await request.get(steward.url("/")), await request.get(steward.url("/"))];
    const nonce = (policy: string | undefined) => /'nonce-([^']+)'/.exec(policy ?? "")?.[1];
    const [first, second] = [one, two].map((reply) =>
      nonce(reply.headers()["content-security-policy"]),
    );
    expect(first).toBeDefined();
    expect(second).not.toBe(first);
    expect(one.headers()["cache-control"]).toContain("no-store");
  },
);
