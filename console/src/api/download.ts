import { stream } from "./client";

/** Reads a file from the API, and tells how many bytes have arrived. */
export async function download(
  path: string,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<Blob> {
  const response = await stream(path, signal);
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = response.body?.getReader();
  for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) {
    pieces.push(next.value);
    bytes += next.value.byteLength;
    onBytes(bytes);
  }
  return new Blob(pieces, { type: response.headers.get("Content-Type") ?? "" });
}

/** Hands a file to the browser, which stores it where downloads go. */
export function keep(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  follow(address, name);
  URL.revokeObjectURL(address);
}

/** Lets the browser download what is at an address. */
export function follow(address: string, name: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
}
