import { type TextKey, useText } from "../../i18n";

/** An action as a choice: its sentence without who did it, `Blocked user …`. */
export function useActionLabel(): (action: string) => string {
  const t = useText();
  return (action) => {
    const text = t(`audit.actions.${action}` as TextKey, { smart_count: 2 })
      .replace(/^%\{actor\}:?\s*/, "")
      .replaceAll(/%\{\w+\}/g, "…")
      .replace(/ 2 /, " … ");
    return text.charAt(0).toUpperCase() + text.slice(1);
  };
}
