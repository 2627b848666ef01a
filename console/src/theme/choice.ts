import { useStore } from "react-admin";

export type ThemeChoice = "light" | "dark" | "system";

export const THEMES = [
  { value: "light", text: "shell.account.themeLight" },
  { value: "dark", text: "shell.account.themeDark" },
  { value: "system", text: "shell.account.themeSystem" },
] as const satisfies { value: ThemeChoice; text: string }[];

/** The theme that the person chose. react-admin follows the system while nothing is stored. */
export function useThemeChoice(): [ThemeChoice, (choice: ThemeChoice) => void] {
  const [stored, setStored] = useStore<"light" | "dark" | undefined>("theme");
  return [stored ?? "system", (choice) => setStored(choice === "system" ? undefined : choice)];
}
