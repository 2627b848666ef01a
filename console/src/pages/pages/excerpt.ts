/** As much of a text as fits, up to the end of a word. */
export function cut(text: string, length: number): string {
  const letters = [...text];
  if (letters.length <= length) {
    return text;
  }
  const start = letters.slice(0, length).join("");
  const lastSpace = start.lastIndexOf(" ");
  return `${lastSpace > length / 2 ? start.slice(0, lastSpace) : start}…`;
}

/** Enough of the source for any excerpt, so that long pages do not slow down typing. */
const READ = 20;

/** The beginning of what a reader sees of some HTML. */
export function excerpt(html: string, length: number): string {
  const text = html
    .slice(0, length * READ)
    .replace(/<(script|style)[^]*?(<\/\1>|$)/gi, " ")
    // Marks are inside of words; everything else is between them.
    .replace(/<\/?(a|b|strong|i|em|u|s|del|code|span|small|sub|sup|mark)(\s[^>]*)?>/gi, "")
    .replace(/<[^>]*(>|$)/g, " ")
    .replace(/&nbsp;/g, " ")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, "&")
    .replace(/\s+/g, " ")
    .trim();
  return cut(text, length);
}
