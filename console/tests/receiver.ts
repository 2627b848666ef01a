import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Receiver {
  url: string;
  /** The types of the events that arrived. */
  types: string[];
  stop: () => void;
}

/** A receiver of webhooks on 127.0.0.1 that answers every event with this status. */
export async function startReceiver(status: number): Promise<Receiver> {
  const types: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString()));
    request.on("end", () => {
      types.push((JSON.parse(body) as { type: string }).type);
      response.writeHead(status).end(`answered with ${status}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/hook`, types, stop };
}
