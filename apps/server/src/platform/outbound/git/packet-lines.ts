/** Framing of the protocol of Git: four hexadecimal digits of length, then the rest; `0000` ends a part. */

const head = 4;

export const packetLine = (text: string): Buffer => {
  const payload = Buffer.from(text);
  return Buffer.concat([
    Buffer.from((payload.length + head).toString(16).padStart(head, "0")),
    payload,
  ]);
};
export const flush = Buffer.from("0000");

export interface PacketLines {
  /** Without their ends; undefined is a flush. */
  lines: (Buffer | undefined)[];
  /** Where the first thing that is no whole line begins. */
  end: number;
}

/** Reads lines from the beginning, up to the flush that `flushes` counts to, or to what is none. */
export function readPacketLines(data: Buffer, flushes = Number.POSITIVE_INFINITY): PacketLines {
  const lines: (Buffer | undefined)[] = [];
  let end = 0;
  for (let left = flushes; left > 0 && end + head <= data.length;) {
    const digits = data.toString("latin1", end, end + head);
    if (!/^[0-9a-f]{4}$/i.test(digits)) break;
    const length = Number.parseInt(digits, 16);
    if (length === 0) {
      lines.push(undefined);
      end += head;
      left -= 1;
    } else {
      if (length < head || end + length > data.length) break;
      lines.push(data.subarray(end + head, end + length));
      end += length;
    }
  }
  return { lines, end };
}
