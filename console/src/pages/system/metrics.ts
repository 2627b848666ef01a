/** One line of `/metrics`. */
interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** Reads the text format of Prometheus, as far as the service uses it. */
export function parse(text: string): Sample[] {
  const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/gm;
  return [...text.matchAll(line)].map(([, name = "", labels = "", value = ""]) => ({
    name,
    labels: Object.fromEntries(
      [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, of]) => [label, of]),
    ),
    value: number(value),
  }));
}

function number(text: string): number {
  const infinite = /^([+-]?)inf$/i.exec(text);
  return infinite === null ? Number(text) : infinite[1] === "-" ? -Infinity : Infinity;
}

/** What the page shows of the metrics at one moment. Counters count from the service's start. */
export interface Snapshot {
  /** Unix seconds. */
  at: number;
  requests: number;
  errors: number;
  /** How many requests took at most so many seconds. */
  latencies: [seconds: number, count: number][];
  connections: number;
  engine: "sqlite" | "postgres" | null;
  statements: number;
  statementSeconds: number;
  waiting: number;
  logBytes: number | null;
  poolConnections: number | null;
  delivered: number;
  undelivered: number;
  servers: number;
  serversReachable: number;
  wrongKeys: number;
}

export function snapshot(text: string, at: number): Snapshot {
  const samples = parse(text);
  const all = (name: string) => samples.filter((sample) => sample.name === `steward_${name}`);
  const sum = (found: Sample[]) => found.reduce((total, { value }) => total + value, 0);
  const gauge = (name: string) => all(name)[0]?.value ?? null;
  const answers = all("http_requests_total");
  const attempts = all("webhook_attempts_total");
  const outcome = (wanted: string) =>
    sum(attempts.filter(({ labels }) => labels.outcome === wanted));

  const latencies = new Map<number, number>();
  for (const { labels, value } of all("http_request_seconds_bucket")) {
    const limit = number(labels.le ?? "");
    latencies.set(limit, (latencies.get(limit) ?? 0) + value);
  }
  const logBytes = gauge("db_log_bytes");
  const poolConnections = gauge("db_connections");
  return {
    at,
    requests: sum(answers),
    // 502 is the failure of a game server, not of the service.
    errors: sum(
      answers.filter(({ labels: { status } }) => status?.startsWith("5") && status !== "502"),
    ),
    latencies: [...latencies].sort(([one], [other]) => one - other),
    connections: gauge("connections") ?? 0,
    // No operation tells the engine, but each has metrics of its own.
    engine: logBytes !== null ? "sqlite" : poolConnections !== null ? "postgres" : null,
    statements: sum(all("db_seconds_count")),
    statementSeconds: sum(all("db_seconds_sum")),
    waiting: gauge("db_waiting") ?? 0,
    logBytes,
    poolConnections,
    delivered: outcome("delivered"),
    undelivered: outcome("failed"),
    servers: gauge("servers_watched") ?? 0,
    serversReachable: gauge("servers_reachable") ?? 0,
    wrongKeys: sum(all("wrong_keys_total")),
  };
}

/** What happened between two snapshots. Null where nothing can be said. */
export interface Step {
  at: number;
  requestsPerSecond: number | null;
  errorsPerSecond: number | null;
  p50: number | null;
  p95: number | null;
  statementsPerSecond: number | null;
  statementSeconds: number | null;
  connections: number;
}

export function step(before: Snapshot, now: Snapshot): Step {
  const seconds = now.at - before.at;
  // Counters begin at 0 again when the service is restarted.
  const isSame = seconds > 0 && now.requests >= before.requests;
  const rate = (count: number) => (isSame ? count / seconds : null);
  const statements = now.statements - before.statements;
  const took = now.statementSeconds - before.statementSeconds;
  const known = new Map(before.latencies);
  const counts = now.latencies.map(([limit, count]): [number, number] => [
    limit,
    count - (known.get(limit) ?? 0),
  ]);
  return {
    at: now.at,
    requestsPerSecond: rate(now.requests - before.requests),
    errorsPerSecond: rate(now.errors - before.errors),
    p50: isSame ? quantile(counts, 0.5) : null,
    p95: isSame ? quantile(counts, 0.95) : null,
    statementsPerSecond: rate(statements),
    statementSeconds: isSame && statements > 0 ? took / statements : null,
    connections: now.connections,
  };
}

/**
 * The value that this part of all observations does not exceed, from a cumulative histogram: within
 * a bucket they count as evenly spread. What is beyond the last limit is given as that limit.
 */
export function quantile(buckets: [limit: number, count: number][], part: number): number | null {
  const total = buckets.at(-1)?.[1] ?? 0;
  if (total === 0) {
    return null;
  }
  const wanted = part * total;
  const index = buckets.findIndex(([, count]) => count >= wanted);
  const [low, below] = buckets[index - 1] ?? [0, 0];
  const [high, upTo] = buckets[index] ?? [low, total];
  if (high === Infinity || upTo === below) {
    return low;
  }
  return low + (high - low) * ((wanted - below) / (upTo - below));
}
