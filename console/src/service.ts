import { Store, useStored } from "./store";

const RETRY_MS = 2000;
const ANSWER_MS = 5000;
/** Statuses of a proxy that cannot reach the service. */
const NO_SERVICE = new Set([502, 504]);

/** Whether the service does not answer at the moment. */
const away = new Store(false);
let checking: Promise<void> | null = null;

/** Asks for the page: the service would take who asks its probes for a load balancer. */
async function answers(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    return !NO_SERVICE.has((await fetch("/console/", { cache: "no-store", signal })).status);
  } catch {
    return false;
  }
}

async function check(): Promise<void> {
  while (!(await answers())) {
    away.set(true);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  away.set(false);
  checking = null;
}

/** Resolves as soon as the service answers. A request that got no answer calls it. */
export function untilAnswers(): Promise<void> {
  checking ??= check();
  return checking;
}

export function useAway(): boolean {
  return useStored(away);
}

/** Calls back each time the service answers again. */
export function onReturn(act: () => void): () => void {
  return away.subscribe(() => {
    if (!away.get()) {
      act();
    }
  });
}
