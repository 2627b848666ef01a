// What the bot needs to know of Discord's interactions.
import { createPublicKey, verify } from 'node:crypto';

export type Interaction = {
  id: string;
  type: number;
  data?: { name: string; options?: { name: string; value: string | number }[] };
};

export const PING = 1;
export const COMMAND = 2;

const STRING = 3;
const INTEGER = 4;
const BAN_MEMBERS = '4';
const ADMINISTRATOR = '8';

export const COMMANDS = [
  { name: 'servers', description: 'Show the game servers' },
  {
    name: 'player',
    description: 'Look up a player',
    options: [{ name: 'name', description: 'Name', type: STRING, required: true }],
  },
  {
    name: 'give',
    description: 'Give a product to a player',
    default_member_permissions: ADMINISTRATOR,
    options: [
      { name: 'name', description: 'Name', type: STRING, required: true },
      { name: 'product', description: 'Product', type: STRING, required: true },
      { name: 'reason', description: 'Reason', type: STRING, required: true },
    ],
  },
  {
    name: 'block',
    description: 'Block a player',
    // Only members who may ban others are shown this command.
    default_member_permissions: BAN_MEMBERS,
    options: [
      { name: 'name', description: 'Name', type: STRING, required: true },
      { name: 'reason', description: 'Reason', type: STRING, required: true },
      { name: 'days', description: 'For ever without', type: INTEGER, min_value: 1, max_value: 3650 },
    ],
  },
];

/** Discord signs the time and the body of a request with its Ed25519 key of the application. */
export function isSigned(
  publicKey: string,
  { signature, timestamp, body }: { signature: string; timestamp: string; body: string },
): boolean {
  const x = Buffer.from(publicKey, 'hex').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, Buffer.from(timestamp + body), key, Buffer.from(signature, 'hex'));
}

/** When a command was sent: the upper bits of Discord's ids are milliseconds since 2015. */
export function sentAt(id: string): number {
  return Number(BigInt(id) >> 22n) + Date.UTC(2015);
}

/** A message that only the member who sent the command sees. */
export function message(content: string) {
  const onlyForTheMember = 64;
  // Names are data of players: none of them may mention anybody.
  const allowed_mentions = { parse: [] };
  return { type: 4, data: { content: content.slice(0, 2000), flags: onlyForTheMember, allowed_mentions } };
}
