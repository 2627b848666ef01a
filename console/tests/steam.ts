import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Service } from "./service";

const PAGE = "https://site.example/signed-in";

export interface Steam {
  /** The options of a service that asks it. */
  settings: Record<string, string>;
  stop: () => void;
}

/** A Steam on 127.0.0.1 that confirms every answer. */
export async function startSteam(): Promise<Steam> {
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => response.end("is_valid:true\n"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const settings = {
    STEWARD_SIGN_IN_RETURN_TO: PAGE,
    STEWARD_STEAM_SIGN_IN: "on",
    STEWARD_STEAM_URL: `http://127.0.0.1:${port}/openid/login`,
  };
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { settings, stop };
}

/** Signs a player in as a site does, and returns the id of the user. */
export async function signInWithSteam(service: Service, steamId: string): Promise<number> {
  type Begun = { url: string; browser_token: string };
  const start = { return_to: PAGE };
  const begun = await service.api<Begun>("POST", "/api/sign-in/steam/start", start);
  const sent = new URL(begun.url).searchParams.get("openid.return_to") ?? "";
  const query = new URL(sent).searchParams;
  const answer = {
    ns: "http://specs.openid.net/auth/2.0",
    mode: "id_res",
    op_endpoint: "https://steamcommunity.com/openid/login",
    claimed_id: `https://steamcommunity.com/openid/id/${steamId}`,
    identity: `https://steamcommunity.com/openid/id/${steamId}`,
    return_to: sent,
    response_nonce: `${new Date().toISOString().slice(0, 19)}Z${steamId}`,
    assoc_handle: "1",
    signed: "op_endpoint,claimed_id,identity,return_to,response_nonce,assoc_handle",
    sig: "x",
  };
  for (const [name, value] of Object.entries(answer)) {
    query.set(`openid.${name}`, value);
  }
  type Finished = { user: { id: number } };
  const { user } = await service.api<Finished>("POST", "/api/sign-in/steam/finish", {
    query: query.toString(),
    browser_token: begun.browser_token,
    device_name: "Firefox",
    user_agent: "Mozilla/5.0",
  });
  return user.id;
}
