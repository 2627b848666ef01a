/** The longest slug that the service accepts. */
const LONGEST = 255;

/** The letters of Russian, Ukrainian and Belarusian. Hard and soft signs are left out. */
const LETTERS = `
а a, б b, в v, г g, ґ g, д d, е e, ё e, є ye, ж zh, з z, и i, і i,
ї yi, й y, к k, л l, м m, н n, о o, п p, р r, с s, т t, у u, ў u,
ф f, х kh, ц ts, ч ch, ш sh, щ shch, ъ, ы y, ь, э e, ю yu, я ya
`;

const CYRILLIC = new Map(
  LETTERS.split(",").map((pair): [string, string] => {
    const [letter = "", latin = ""] = pair.trim().split(" ");
    return [letter, latin];
  }),
);

/** A slug for a title: `Правила сервера` gives `pravila-servera`. */
export function slugOf(title: string): string {
  const latin = [...title.toLowerCase()].map((letter) => CYRILLIC.get(letter) ?? letter).join("");
  return latin
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, LONGEST)
    .replace(/^-|-$/g, "");
}
