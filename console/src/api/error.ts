import type { components } from "./schema";

type Sent = components["schemas"]["ApiError"];
/** `unknown` is not a code of the service: something in front of it answered. */
type Body = Omit<Sent, "code"> & { code: Sent["code"] | "unknown" };

/** What the service answered instead of success. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly body: Body,
    /** Seconds, from `Retry-After`. */
    readonly retryAfter: number | null,
  ) {
    super(body.message);
    this.name = "ApiError";
  }

  get code(): Body["code"] {
    return this.body.code;
  }

  /** The faults of fields. */
  get faults(): NonNullable<Sent["faults"]> {
    return this.body.faults ?? [];
  }

  /** The sentences of the service about the same faults, by the name of the field. */
  get errors(): NonNullable<Sent["errors"]> {
    return this.body.errors ?? {};
  }

  static async from(response: Response): Promise<ApiError> {
    const text = await response.text();
    const retryAfter = Number(response.headers.get("Retry-After") ?? Number.NaN);
    return new ApiError(
      response.status,
      parse(text) ?? {
        code: "unknown",
        message: `${response.status} ${response.statusText}`.trim(),
        request_id: response.headers.get("X-Request-Id") ?? "",
      },
      Number.isFinite(retryAfter) ? retryAfter : null,
    );
  }
}

/** A proxy in front of the service may answer with something else than the service's errors. */
function parse(text: string): Body | null {
  try {
    const body: unknown = JSON.parse(text);
    const isError = typeof body === "object" && body !== null && "code" in body;
    return isError ? (body as Body) : null;
  } catch {
    return null;
  }
}
