// A Discord bot that looks up and blocks players, gives them products, and shows the game servers.
// Discord sends it commands over HTTPS; a proxy in front of it has the certificate.
//
//     npm install && npm run types && npm run register
//     DISCORD_PUBLIC_KEY=... STEWARD_URL=http://127.0.0.1:8080 STEWARD_KEY=stw_... npm start
//
// The key needs admin.users, admin.products and admin.servers.read.
import { serve } from './server.ts';
import { connect } from './steward.ts';

const { DISCORD_PUBLIC_KEY, STEWARD_URL, STEWARD_KEY, PORT = '3000' } = process.env;
if (!DISCORD_PUBLIC_KEY || !STEWARD_URL || !STEWARD_KEY) {
  throw new Error('Set DISCORD_PUBLIC_KEY, STEWARD_URL and STEWARD_KEY.');
}
serve(connect(STEWARD_URL, STEWARD_KEY), DISCORD_PUBLIC_KEY).listen(Number(PORT), '127.0.0.1');
