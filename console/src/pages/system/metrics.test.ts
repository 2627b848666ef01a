import { expect, test } from "vitest";
import { parse, quantile, snapshot, step } from "./metrics";

const TEXT = `# HELP steward_http_requests_total Responses sent.
# TYPE steward_http_requests_total counter
steward_http_requests_total{method="GET",route="/api/roles/{id}",status="200"} 40
steward_http_requests_total{method="GET",route="/api/roles",status="503"} 2
steward_http_requests_total{method="POST",route="/api/servers/{id}/rcon",status="502"} 3
steward_http_request_seconds_bucket{method="GET",route="/api/roles",le="0.1"} 30
steward_http_request_seconds_bucket{method="GET",route="/api/roles",le="+Inf"} 42
steward_db_log_bytes 267832
steward_backup_age_seconds inf
`;

test("lines become samples, comments do not", () => {
  expect(parse(TEXT)).toHaveLength(7);
  expect(parse(TEXT)[0]).toEqual({
    name: "steward_http_requests_total",
    labels: { method: "GET", route: "/api/roles/{id}", status: "200" },
    value: 40,
  });
  expect(parse(TEXT).at(-1)?.value).toBe(Infinity);
});

test("a snapshot adds up all routes and tells the engine", () => {
  expect(snapshot(TEXT, 100)).toMatchObject({
    requests: 45,
    errors: 2,
    engine: "sqlite",
    latencies: [
      [0.1, 30],
      [Infinity, 42],
    ],
  });
});

test("a step has rates, and none across a restart", () => {
  const before = snapshot(TEXT, 100);
  const now = { ...snapshot(TEXT, 110), requests: 65 };
  expect(step(before, now).requestsPerSecond).toBe(2);
  expect(step(now, { ...before, at: 120 }).requestsPerSecond).toBeNull();
  expect(step(before, now).p50).toBeNull();
});

test("quantiles are found within their bucket", () => {
  const buckets: [number, number][] = [
    [0.1, 50],
    [0.2, 100],
    [Infinity, 100],
  ];
  expect(quantile(buckets, 0.5)).toBeCloseTo(0.1);
  expect(quantile(buckets, 0.95)).toBeCloseTo(0.19);
  expect(
    quantile(
      [
        [0.1, 0],
        [Infinity, 4],
      ],
      0.5,
    ),
  ).toBe(0.1);
  expect(quantile([], 0.5)).toBeNull();
});
