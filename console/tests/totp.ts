import { createHmac } from "node:crypto";
import type { Page } from "@playwright/test";

const STEP_SECONDS = 30;
const DIGITS = 6;

/** The code of an authenticator app (RFC 6238) at a moment in milliseconds. */
export function totp(secret: string, at = Date.now()): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 1000 / STEP_SECONDS)));
  const hash = createHmac("sha1", base32(secret)).update(counter).digest();
  const offset = hash.readUInt8(hash.length - 1) & 15;
  const number = (hash.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS;
  return String(number).padStart(DIGITS, "0");
}

/** The moment at which the next code begins. The service takes each code once. */
export function nextStep(at = Date.now()): number {
  return (Math.floor(at / 1000 / STEP_SECONDS) + 1) * STEP_SECONDS * 1000;
}

function base32(text: string): Buffer {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  let bits = "";
  for (const letter of text.replace(/=+$/, "")) {
    bits += alphabet.indexOf(letter).toString(2).padStart(5, "0");
  }
  const bytes = bits.match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => parseInt(byte, 2)));
}

/** Sets up a second factor on the page of the account. Returns its secret. */
export async function turnOn(page: Page, at = Date.now()): Promise<string> {
  const panel = page.getByRole("region", { name: "Second factor" });
  await panel.getByRole("button", { name: "Set it up" }).click();
  const secret = await panel.locator("code").innerText();
  await panel.getByRole("textbox", { name: "Code" }).fill(totp(secret, at));
  await panel.getByRole("button", { name: "Turn it on" }).click();
  await panel.getByRole("button", { name: "I have stored them" }).click();
  return secret;
}
