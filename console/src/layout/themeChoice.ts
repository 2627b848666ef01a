import { useStore } from "react-admin";

export type ThemeChoice = "light" | "dark" | "system";

/** The theme that the person chose. react-admin follows the system while nothing is stored. */
export function useThemeChoice(): [ThemeChoice, (choice: ThemeChoice) => void] {
  const [stored, setStored] = useStore<"light" | "dark" | undefined>("theme");
  return [stored ?? "system", (choice) => setStored(choice === "system" ? undefined : choice)];
}
