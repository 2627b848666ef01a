import { type ComponentType, createElement, lazy, Suspense } from "react";
import { retried } from "../retried";

const LOADS: (() => Promise<unknown>)[] = [];

/** A part of the frame that is loaded after the page, or when it is first shown. */
function later<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  LOADS.push(load);
  const Part = lazy(async () => ({ default: await retried(load) }));
  return function Later(props: P) {
    return <Suspense>{createElement(Part as unknown as ComponentType<P>, props)}</Suspense>;
  };
}

export const AccountMenu = later(async () => (await import("./AccountMenu")).AccountMenu);
export const PaletteDialog = later(async () => (await import("./PaletteDialog")).PaletteDialog);
export const RenewDialog = later(async () => (await import("../session/SignIn")).RenewDialog);
export const ConfirmSession = later(
  async () => (await import("../session/ConfirmSession")).ConfirmSession,
);

/** On a slow phone the first page takes nearly as long. */
const QUIET_MS = 15_000;

/**
 * Loads these parts once the page has had its time. They are there before they are needed, also if the
 * service is not: a session that ends must not take a form with it.
 */
export function loadLater(): () => void {
  const timer = setTimeout(() => {
    LOADS.forEach((load) => load().catch(() => undefined));
  }, QUIET_MS);
  return () => clearTimeout(timer);
}
