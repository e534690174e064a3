import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A way to a database on which one message can be made to fail, as a cancel does that comes just then. */
export interface FailingWire {
  port: number;
  /** Of the messages from now on that do something, the one of this number (from 1 on) fails. */
  failAt(number: number): void;
  /** Whether that one has come. Nothing fails any more. */
  hasFailed(): boolean;
  close(): Promise<void>;
}

/** Statements, and the steps of one: parse, bind, execute. */
const doing = new Set(["Q", "P", "B", "E"]);

function message(type: string, body: string): Buffer {
  const bytes = Buffer.from(`${type}\0\0\0\0${body}`, "latin1");
  bytes.writeInt32BE(bytes.length - 1, 1);
  return bytes;
}

/** What is refused in place of a message: of a step, everything up to the next `Sync` goes with it. */
const refused = (type: string) =>
  type === "Q" ? message("Q", "select 1 / 0\0") : message("B", "\0not prepared\0\0\0\0\0\0\0");

/** Stands before a database and hands on what comes. */
export async function startFailingWire(to: { host: string; port: number }): Promise<FailingWire> {
  let left = 0;
  const sockets = new Set<Socket>();

  function handOn(client: Socket): void {
    const database = to.host.startsWith("/")
      ? connect(`${to.host}/.s.PGSQL.${to.port}`)
      : connect(to.port, to.host);
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(one);
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
      one.on("error", () => other.destroy());
    }
    database.pipe(client);
    let kept = Buffer.alloc(0);
    let hasBegun = false;
    client.on("data", (part: Buffer) => {
      kept = Buffer.concat([kept, part]);
      for (;;) {
        // The first message has no type.
        const head = hasBegun ? 1 : 0;
        if (kept.length < head + 4) return;
        const length = head + kept.readInt32BE(head);
        if (kept.length < length) return;
        const whole = kept.subarray(0, length);
        const type = hasBegun ? whole.toString("latin1", 0, 1) : "";
        kept = kept.subarray(length);
        hasBegun = true;
        if (doing.has(type) && left > 0) left -= 1;
        else {
          database.write(whole);
          continue;
        }
        database.write(left === 0 ? refused(type) : whole);
      }
    });
  }

  const server = createServer(handOn).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    failAt(number) {
      left = number;
    },
    hasFailed() {
      const failed = left === 0;
      left = 0;
      return failed;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
