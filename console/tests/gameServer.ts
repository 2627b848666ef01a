import { createSocket } from "node:dgram";
import { type AddressInfo, createServer, type Socket } from "node:net";

const PASSWORD = "correct horse";
const PLAYERS = ["Alyx", "Gordon"];

/** The kinds of RCON packets. */
const AUTH = 3;
const AUTH_REPLY = 2;
const COMMAND = 2;
const ANSWER = 0;

export interface GameServer {
  port: number;
  password: string;
  stop: () => void;
}

/** A game server on 127.0.0.1 that answers queries and commands as the Source engine does. */
export async function startGameServer(): Promise<GameServer> {
  const connections = new Set<Socket>();
  const tcp = createServer((socket) => {
    connections.add(socket);
    serveConsole(socket);
  });
  await new Promise<void>((resolve) => tcp.listen(0, "127.0.0.1", resolve));
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket("udp4");
  udp.on("message", (message, from) => udp.send(answer(message), from.port, from.address));
  await new Promise<void>((resolve) => udp.bind(port, "127.0.0.1", resolve));
  const stop = () => {
    udp.close();
    tcp.close();
    connections.forEach((socket) => socket.destroy());
  };
  return { port, password: PASSWORD, stop };
}

const text = (value: string) => Buffer.from(`${value}\0`);

function answer(query: Buffer): Buffer {
  const start = Buffer.from([255, 255, 255, 255]);
  if (query[4] === "T".charCodeAt(0)) {
    const numbers = Buffer.from([240, 0, PLAYERS.length, 24, 0]);
    return Buffer.concat([
      start,
      Buffer.from("I\x11"),
      text("Test server"),
      text("de_test"),
      text("cstrike"),
      text("Counter-Strike"),
      numbers,
      Buffer.from("dl\0\x01"),
      text("1.0"),
    ]);
  }
  const hasChallenge = query.readInt32LE(5) !== -1;
  if (!hasChallenge) {
    return Buffer.concat([start, Buffer.from("A\x01\x02\x03\x04")]);
  }
  const players = PLAYERS.map((name, index) => {
    const figures = Buffer.alloc(8);
    figures.writeInt32LE(10 - index, 0);
    figures.writeFloatLE(60, 4);
    return Buffer.concat([Buffer.from([index]), text(name), figures]);
  });
  return Buffer.concat([start, Buffer.from("D"), Buffer.from([PLAYERS.length]), ...players]);
}

function packet(id: number, kind: number, body: string): Buffer {
  const content = Buffer.concat([Buffer.alloc(8), text(body), Buffer.from([0])]);
  content.writeInt32LE(id, 0);
  content.writeInt32LE(kind, 4);
  const length = Buffer.alloc(4);
  length.writeInt32LE(content.length, 0);
  return Buffer.concat([length, content]);
}

function serveConsole(socket: Socket): void {
  let received = Buffer.alloc(0);
  socket.on("error", () => socket.destroy());
  socket.on("data", (data) => {
    received = Buffer.concat([received, data]);
    while (received.length >= 4 && received.length >= 4 + received.readInt32LE(0)) {
      const end = 4 + received.readInt32LE(0);
      const id = received.readInt32LE(4);
      const kind = received.readInt32LE(8);
      const body = received.subarray(12, end - 2).toString();
      received = received.subarray(end);
      if (kind === AUTH) {
        socket.write(packet(body === PASSWORD ? id : -1, AUTH_REPLY, ""));
      } else {
        // Anything else marks the end of an answer, and is sent back as it came.
        socket.write(packet(id, ANSWER, kind === COMMAND ? `you said ${body}` : ""));
      }
    }
  });
}
