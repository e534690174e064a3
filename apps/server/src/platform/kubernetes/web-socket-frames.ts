import type { Socket } from "node:net";

const opcodes = { continued: 0, close: 8, ping: 9, pong: 10 };

/**
 * The messages that come over an open WebSocket, as far as a listener needs them: whole ones, in order, none longer than
 * `most` bytes. Ends with the connection.
 */
export async function* readFrames(
  socket: Socket,
  { most, place }: { most: number; place: string },
): AsyncGenerator<Buffer> {
  let open: Buffer = Buffer.alloc(0);
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    open = open.length === 0 ? chunk : Buffer.concat([open, chunk]);
    for (let frame = frameIn(open); frame; frame = frameIn(open)) {
      if (frame.size > most) throw new Error(`${place} sends more than was asked for`);
      if (open.length < frame.from + frame.size) break;
      const payload = open.subarray(frame.from, frame.from + frame.size);
      open = open.subarray(frame.from + frame.size);
      if (frame.opcode === opcodes.close) return;
      if (frame.opcode === opcodes.ping || frame.opcode === opcodes.pong) continue;
      if (frame.isMasked || (frame.opcode === opcodes.continued) !== parts.length > 0)
        throw new Error(`${place} does not speak WebSocket`);
      parts.push(payload);
      length += payload.length;
      if (length > most) throw new Error(`${place} sends more than was asked for`);
      if (!frame.isLast) continue;
      yield Buffer.concat(parts);
      parts = [];
      length = 0;
    }
  }
}

interface Frame {
  opcode: number;
  isLast: boolean;
  isMasked: boolean;
  /** Where its content begins, and how long it is. */
  from: number;
  size: number;
}

/** The frame that begins here; undefined while its head is not whole. */
function frameIn(bytes: Buffer): Frame | undefined {
  if (bytes.length < 2) return undefined;
  const [first, second] = [bytes[0]!, bytes[1]!];
  const short = second & 0x7f;
  const from = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < from) return undefined;
  const size =
    short === 126
      ? bytes.readUInt16BE(2)
      : short === 127
        ? Number(bytes.readBigUInt64BE(2))
        : short;
  return {
    opcode: first & 0x0f,
    isLast: (first & 0x80) !== 0,
    isMasked: (second & 0x80) !== 0,
    from,
    size,
  };
}
