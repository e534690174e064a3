import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/** What a program printed, and how it ended. */
export interface ExecAnswer {
  stdout?: string | Buffer;
  stderr?: string;
  /** 0 when absent. */
  exitCode?: number;
  /** In place of all that: bytes on the open connection, which then stays open. */
  raw?: Buffer;
}

const guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/** Small, so that there are several frames and lengths of every kind. */
const mostInFrame = 70_000;

function frame(opcode: number, payload: Buffer): Buffer {
  const size = payload.length;
  if (size < 126) return Buffer.concat([Buffer.from([0x80 | opcode, size]), payload]);
  const head = Buffer.alloc(size < 65_536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  head[1] = size < 65_536 ? 126 : 127;
  if (size < 65_536) head.writeUInt16BE(size, 2);
  else head.writeBigUInt64BE(BigInt(size), 2);
  return Buffer.concat([head, payload]);
}

const onChannel = (channel: number, content: Buffer): Buffer =>
  frame(2, Buffer.concat([Buffer.from([channel]), content]));

/** Runs a program over a WebSocket with the protocol of remote commands: a channel a message. */
export function answerExec(request: IncomingMessage, socket: Duplex, answer: ExecAnswer): void {
  const key = request.headers["sec-websocket-key"] ?? "";
  const accept = createHash("sha1").update(`${key}${guid}`).digest("base64");
  socket.write(
    [
      "HTTP/1.1 101 Switching Protocols",
      "Upgrade: websocket",
      "Connection: Upgrade",
      `Sec-WebSocket-Accept: ${accept}`,
      "Sec-WebSocket-Protocol: v4.channel.k8s.io",
      "",
      "",
    ].join("\r\n"),
  );
  if (answer.raw) {
    socket.write(answer.raw);
    return;
  }
  const { stdout = "", stderr = "", exitCode = 0 } = answer;
  // Channels are opened with nothing on them.
  for (const channel of [1, 2, 3]) socket.write(onChannel(channel, Buffer.alloc(0)));
  socket.write(frame(9, Buffer.from("still there?")));
  const printed = Buffer.from(stdout);
  for (let at = 0; at < printed.length; at += mostInFrame)
    socket.write(onChannel(1, printed.subarray(at, at + mostInFrame)));
  if (stderr) socket.write(onChannel(2, Buffer.from(stderr)));
  const status =
    exitCode === 0
      ? { metadata: {}, status: "Success" }
      : {
          metadata: {},
          status: "Failure",
          message: `command terminated with non-zero exit code: exit status ${exitCode}`,
          reason: "NonZeroExitCode",
          details: { causes: [{ reason: "ExitCode", message: String(exitCode) }] },
        };
  socket.write(onChannel(3, Buffer.from(JSON.stringify(status))));
  socket.end(frame(8, Buffer.from([0x03, 0xe8])));
}
