// Tells Discord the commands of the bot. Needed once, and after each change of COMMANDS.
import { COMMANDS } from './discord.ts';

const { DISCORD_APPLICATION_ID, DISCORD_TOKEN } = process.env;
if (!DISCORD_APPLICATION_ID || !DISCORD_TOKEN) {
  throw new Error('Set DISCORD_APPLICATION_ID and DISCORD_TOKEN.');
}
const url = `https://discord.com/api/v10/applications/${DISCORD_APPLICATION_ID}/commands`;
const reply = await fetch(url, {
  method: 'PUT',
  headers: { Authorization: `Bot ${DISCORD_TOKEN}`, 'Content-Type': 'application/json' },
  body: JSON.stringify(COMMANDS),
});
console.log(reply.status, await reply.text());
