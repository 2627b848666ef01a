const LINK_SCHEMES = ["http", "https", "mailto"];

/** Whether an address is relative, or of the web or mail. `javascript:` is none of these. */
export function isSafeLink(url: string): boolean {
  const scheme = schemeOf(url);
  return scheme === null || LINK_SCHEMES.includes(scheme);
}

/** Whether an address can be that of an image. */
export function isSafeImage(url: string): boolean {
  const scheme = schemeOf(url);
  return scheme === null || scheme === "http" || scheme === "https";
}

/** Browsers ignore spaces and control characters in a scheme, so `java\nscript:` is one. */
function schemeOf(url: string): string | null {
  const found = /^([a-z][a-z0-9+.-]*):/i.exec(url.replace(/[\u0000-\u0020\u007f-\u00a0]/g, ""));
  return found?.[1]?.toLowerCase() ?? null;
}
