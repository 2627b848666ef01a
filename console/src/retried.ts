import { untilAnswers } from "./service";
import { followUpgrade } from "./version";

/** Loads a part of the console. If the service does not answer, it is loaded once it does again. */
export async function retried<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    await untilAnswers();
    if (await followUpgrade()) {
      return new Promise(() => undefined);
    }
    return load();
  }
}
