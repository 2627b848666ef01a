// Answers Discord's interactions over HTTP.
import { createServer, type IncomingMessage, type Server } from 'node:http';

import { COMMAND, type Interaction, PING, isSigned, message, sentAt } from './discord.ts';
import {
  blockPlayer,
  describePlayer,
  describeServers,
  giveProduct,
  type Steward,
  StewardError,
} from './steward.ts';

const LONGEST_BODY = 65_536;

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request) {
    length += part.length;
    if (length > LONGEST_BODY) {
      return undefined;
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

async function run(steward: Steward, { id, data }: Interaction): Promise<string> {
  const options = new Map(data?.options?.map(({ name, value }) => [name, value]));
  const name = String(options.get('name') ?? '');
  const reason = String(options.get('reason') ?? '');
  switch (data?.name) {
    case 'servers':
      return describeServers(steward);
    case 'player':
      return describePlayer(steward, name);
    case 'give': {
      const product = String(options.get('product') ?? '');
      return giveProduct(steward, name, { product, reason }, id);
    }
    case 'block': {
      const days = options.get('days');
      // The days count from when the command was sent, so that a command that arrives twice is the
      // same request twice. Another request under the same Idempotency-Key would be an error.
      const until =
        days === undefined ? null : new Date(sentAt(id) + Number(days) * 86_400_000).toISOString();
      return blockPlayer(steward, name, { reason, until }, id);
    }
    default:
      return 'This command is unknown.';
  }
}

async function answer(steward: Steward, interaction: Interaction) {
  if (interaction.type === PING) {
    return { type: PING };
  }
  if (interaction.type !== COMMAND) {
    return message('This command is unknown.');
  }
  try {
    return message(await run(steward, interaction));
  } catch (error) {
    if (error instanceof StewardError) {
      return message(error.message);
    }
    console.error(error);
    return message('Steward cannot be reached.');
  }
}

export function serve(steward: Steward, publicKey: string): Server {
  return createServer(async (request, response) => {
    const body = await readBody(request);
    const signature = String(request.headers['x-signature-ed25519'] ?? '');
    const timestamp = String(request.headers['x-signature-timestamp'] ?? '');
    if (body === undefined || !isSigned(publicKey, { signature, timestamp, body })) {
      // Discord sends wrong signatures on purpose, and switches off a bot that accepts them.
      response.writeHead(401, { Connection: 'close' }).end();
      return;
    }
    const reply = await answer(steward, JSON.parse(body) as Interaction);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(reply));
  });
}
