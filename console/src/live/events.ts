import { RESOURCES, type ResourceName } from "../api/resources";
import { untilAnswers } from "../service";
import { Store, useStored } from "../store";
import { followUpgrade } from "../version";
import { open } from "./stream";

/** One change, as `/api/events` sends it. */
export interface LiveEvent {
  id: number;
  at: string;
  action: string;
  resource: string;
  resource_id: number;
  actor: { kind: "key" | "operator" | "system" | "command_line"; id: number | null; name: string };
}

type Listener = (event: LiveEvent) => void;

const RECONNECT_MS = [1000, 2000, 5000, 15_000];

const listeners = new Set<Listener>();
const connected = new Store(false);
let running: AbortController | null = null;

/** Follows the stream until `disconnect`, and resumes after every interruption where it was. */
export function connect(): void {
  if (running === null) {
    running = new AbortController();
    void follow(running.signal);
  }
}

async function follow(signal: AbortSignal): Promise<void> {
  let after: string | null = null;
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      for await (const messages of open("/api/events", after, signal)) {
        if (!connected.get()) {
          connected.set(true);
          // Another version may have been started in the meantime.
          void (failures > 0 && followUpgrade());
        }
        failures = 0;
        for (const { id, data } of messages) {
          after = id;
          const event = JSON.parse(data) as LiveEvent;
          listeners.forEach((listener) => listener(event));
        }
      }
    } catch {
      // The service restarts, or the session has ended: both may be over in a moment.
    }
    connected.set(false);
    await untilAnswers();
    const pause = RECONNECT_MS[Math.min(failures, RECONNECT_MS.length - 1)];
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

export function disconnect(): void {
  running?.abort();
  running = null;
  connected.set(false);
}

export function subscribe(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether changes by others arrive at the moment. */
export function useConnected(): boolean {
  return useStored(connected);
}

/** The console's name of a resource of the audit log. */
export function resourceOf(audit: string): ResourceName | null {
  const found = Object.entries(RESOURCES).find(([, info]) => info.audit === audit);
  return (found?.[0] as ResourceName | undefined) ?? null;
}
