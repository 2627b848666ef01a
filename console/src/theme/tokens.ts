/** The colours of the console, by meaning. Every text colour reaches a contrast of 4.5 on `paper`. */
export interface Tokens {
  background: string;
  paper: string;
  /** Surfaces inside a panel: table heads, code, wells. */
  inset: string;
  hover: string;
  border: string;
  text: string;
  muted: string;
  accent: string;
  onAccent: string;
  accentSoft: string;
  good: string;
  goodSoft: string;
  warn: string;
  warnSoft: string;
  bad: string;
  badSoft: string;
  /** The lines of charts, in the order they are used. */
  series: [string, string, string, string];
}

export const light: Tokens = {
  background: "#f7f8fa",
  paper: "#ffffff",
  inset: "#f1f3f6",
  hover: "#f4f5f8",
  border: "#e1e5eb",
  text: "#171b24",
  muted: "#596274",
  accent: "#4f52d8",
  onAccent: "#ffffff",
  accentSoft: "#ececfd",
  good: "#15703f",
  goodSoft: "#e2f5ea",
  warn: "#8a5300",
  warnSoft: "#fdf0d7",
  bad: "#b3261e",
  badSoft: "#fde8e6",
  series: ["#4f52d8", "#0e8f9c", "#c2571a", "#8d3fb8"],
};

export const dark: Tokens = {
  background: "#0f1218",
  paper: "#171b23",
  inset: "#1f2430",
  hover: "#1d222c",
  border: "#2b3240",
  text: "#e8ebf1",
  muted: "#9aa4b5",
  accent: "#a3a6ff",
  onAccent: "#14162b",
  accentSoft: "#272a4d",
  good: "#6fd39b",
  goodSoft: "#16342a",
  warn: "#f0bd62",
  warnSoft: "#3a2d14",
  bad: "#ff938a",
  badSoft: "#43211f",
  series: ["#a3a6ff", "#5fd0dc", "#f2a06b", "#d39af0"],
};

/** The corner of panels and dialogs; fields and buttons have a smaller one. */
export const RADIUS = 12;
export const RADIUS_SMALL = 8;

export const MONOSPACE =
  'ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", Menlo, Consolas, monospace';
