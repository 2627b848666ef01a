import { useEffect, useState } from "react";
import { PaletteDialog } from "./later";

/** Ctrl-K opens the palette. */
export function CommandPalette() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const open = () => setOpen(true);
    const listen = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        open();
      }
    };
    window.addEventListener(OPEN, open);
    window.addEventListener("keydown", listen);
    return () => {
      window.removeEventListener(OPEN, open);
      window.removeEventListener("keydown", listen);
    };
  }, []);
  return isOpen ? <PaletteDialog onClose={() => setOpen(false)} /> : null;
}

/** Lets any part of the console open the palette. */
const OPEN = "steward:open-palette";

export function openPalette(): void {
  window.dispatchEvent(new Event(OPEN));
}
