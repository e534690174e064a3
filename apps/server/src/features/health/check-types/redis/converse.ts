import type { Socket } from "node:net";
import { describeNetworkError } from "#platform/outbound/network-errors.ts";

/** A one-line answer of the Redis protocol; the commands of a check have no other. */
export interface RedisReply {
  kind: "text" | "error";
  text: string;
}

/** More than any answer to the commands of a check. */
const mostBytes = 65_536;

const encode = (command: readonly string[]) =>
  [
    `*${command.length}`,
    ...command.flatMap((part) => [`$${Buffer.byteLength(part)}`, part]),
    "",
  ].join("\r\n");

/** Sends commands one after the other in one go and gathers as many one-line answers. */
export function converse(
  socket: Socket,
  commands: readonly (readonly string[])[],
  { signal, place }: { signal: AbortSignal; place: string },
): Promise<RedisReply[]> {
  return new Promise((fulfil, reject) => {
    let received = "";
    const settle = () => {
      signal.removeEventListener("abort", stop);
      socket.removeAllListeners("data");
    };
    const fail = (error: Error) => {
      settle();
      reject(error);
    };
    const stop = () => fail(signal.reason as Error);
    signal.addEventListener("abort", stop, { once: true });
    socket.on("error", (error) => fail(describeNetworkError(error, place)));
    socket.on("close", () => fail(new Error(`${place} closed the connection without an answer`)));
    socket.on("data", (chunk: Buffer) => {
      received += chunk.toString("latin1");
      if (received !== "" && !"+-:$*_".includes(received.charAt(0)))
        return fail(new Error(`${place} does not speak the Redis protocol`));
      if (received.length > mostBytes)
        return fail(new Error(`${place} answers more than a Redis server would`));
      const lines = received.split("\r\n").slice(0, -1);
      const failedAt = lines.findIndex((line) => line.startsWith("-"));
      // After a refusal the rest of the answers is of no interest.
      const enough = failedAt === -1 ? commands.length : failedAt + 1;
      if (lines.length < enough) return undefined;
      settle();
      fulfil(
        lines
          .slice(0, enough)
          .map((line) => ({ kind: line.startsWith("-") ? "error" : "text", text: line.slice(1) })),
      );
      return undefined;
    });
    socket.write(commands.map(encode).join(""));
  });
}
