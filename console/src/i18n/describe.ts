import { useCallback } from "react";
import { ApiError } from "../api/error";
import { permissionName } from "../components/permissions/names";
import type { Format } from "./format";
import { type TextKey, type Translate, useText } from "./text";
import { useFormat } from "./useFormat";

/** Statuses whose cause is in the service's log, under the id of the request. */
const LOGGED = new Set([500, 503]);

/** Statuses of a proxy that cannot reach the service. */
const NO_SERVICE = new Set([502, 503, 504]);

/** An error as a sentence for the reader. With a `format` it also says how long something lasts. */
export function describeError(error: unknown, t: Translate, format?: Format): string {
  if (error instanceof ApiError) {
    return [reason(error, t), ...details(error, t, format)].join(" ");
  }
  if (isNetworkError(error)) {
    return t("errors.network");
  }
  const message = error instanceof Error ? error.message : "";
  return message === "" ? t("errors.unknown") : message;
}

export function useErrorText(): (error: unknown) => string {
  const t = useText();
  const format = useFormat();
  return useCallback((error) => describeError(error, t, format), [t, format]);
}

function reason(error: ApiError, t: Translate): string {
  const { code, status, message } = error;
  // The same code asks for a code at sign-in, and for a second factor after it.
  if (code === "two_factor_required" && status === 403) {
    return t("errors.setUpTwoFactor");
  }
  if (code === "missing_permission") {
    // The message names the permission, or several of which one is enough.
    const permission = /permission (.+)\.$/
      .exec(message)?.[1]
      ?.replaceAll(" or ", " / ")
      .replace(/admin\.[\w.-]*\w/g, (name) => permissionName(name, t));
    return permission === undefined
      ? t("errors.codes.missing_permission")
      : t("errors.missingPermission", { permission });
  }
  // A newer version of the service may have more codes.
  return code === "unknown"
    ? byStatus(error, t)
    : t(`errors.codes.${code}` as TextKey, { _: message });
}

/** For replies that are not the service's own. */
function byStatus({ status, message }: ApiError, t: Translate): string {
  if (NO_SERVICE.has(status)) {
    return t("errors.network");
  }
  switch (status) {
    case 403:
      return t("errors.forbidden");
    case 404:
      return t("errors.notFound");
    default:
      return message === "" ? t("errors.unknown") : message;
  }
}

function details(error: ApiError, t: Translate, format: Format | undefined): string[] {
  const { body, retryAfter, status } = error;
  const found: string[] = [];
  if (body.reason) {
    found.push(ended(t("session.blockedReason", { reason: body.reason })));
  }
  if (body.until && format !== undefined) {
    found.push(ended(t("session.blockedUntil", { until: format.moment(body.until) })));
  }
  if (status === 429 && retryAfter !== null && format !== undefined) {
    found.push(t("errors.retryAfter", { span: format.span(retryAfter) }));
  }
  if (LOGGED.has(status) && body.request_id !== "") {
    found.push(`(${t("errors.requestId", { id: body.request_id })})`);
  }
  return found;
}

/** With a full stop. A reason that a person wrote may have one already. */
function ended(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/**
 * Browsers throw a `TypeError` if no reply arrives, each with words of its own. Other errors of
 * this type are defects of the console, and must not pass for a lost connection.
 */
export function isNetworkError(error: unknown): boolean {
  const words = /fetch|network|load failed|(body|input) stream/i;
  return error instanceof TypeError && words.test(error.message);
}
