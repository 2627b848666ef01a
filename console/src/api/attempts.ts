/**
 * Gives every write an `Idempotency-Key`. The same write gets the same key until the service has
 * answered it: a double click, or another try after the connection was lost, is carried out once.
 */
export class Attempts {
  private readonly open = new Map<string, string>();

  key(write: string): string {
    const known = this.open.get(write);
    if (known !== undefined) {
      return known;
    }
    const key = crypto.randomUUID();
    this.open.set(write, key);
    return key;
  }

  /**
   * The service answered: the next write with this content is another one. After an error of the
   * service or of a proxy the write may have been carried out, so another try keeps its key.
   */
  answered(write: string, status: number): void {
    if (status < 500) {
      this.open.delete(write);
    }
  }
}
