import { createHash } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { inflateSync } from "node:zlib";

/** Objects of a pack, and bytes of all of them unpacked. */
const mostObjects = 200_000;
const mostBytes = 128 * 1024 * 1024;
/** Objects that are unpacked before others get their turn. */
const atOnce = 200;

interface GitObject {
  type: string;
  data: Buffer;
}
export type Pack = (id: string) => GitObject | undefined;

const types: Readonly<Record<number, string>> = { 1: "commit", 2: "tree", 3: "blob", 4: "tag" };
const byOffset = 6;
const byId = 7;

class Damaged extends Error {
  constructor() {
    super("what the repository sent is damaged");
  }
}

function byteAt(data: Buffer, at: number): number {
  const byte = data[at];
  if (byte === undefined) throw new Damaged();
  return byte;
}

/** A number in groups of seven bits, the lowest first. */
function readSize(data: Buffer, from: number): { size: number; end: number } {
  let [size, scale, end] = [0, 1, from];
  for (let more = true; more; end += 1) {
    const byte = byteAt(data, end);
    size += (byte & 127) * scale;
    scale *= 128;
    more = byte > 127 && scale < 2 ** 40;
  }
  return { size, end };
}

/** Puts an object together from another one and what differs. */
export function applyDelta(base: Buffer, delta: Buffer): Buffer {
  const source = readSize(delta, 0);
  const target = readSize(delta, source.end);
  if (source.size !== base.length || target.size > mostBytes) throw new Damaged();
  const parts: Buffer[] = [];
  let length = 0;
  for (let at = target.end; at < delta.length;) {
    const code = byteAt(delta, at);
    at += 1;
    let part: Buffer;
    if (code & 128) {
      const numbers = [1, 2, 4, 8, 16, 32, 64].map((bit) => {
        if (!(code & bit)) return 0;
        at += 1;
        return byteAt(delta, at - 1);
      });
      const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0, z = 0] = numbers;
      const offset = a + b * 256 + c * 65_536 + d * 16_777_216;
      const size = x + y * 256 + z * 65_536 || 65_536;
      part = base.subarray(offset, offset + size);
      if (part.length !== size) throw new Damaged();
    } else {
      part = delta.subarray(at, at + code);
      at += code;
      if (code === 0 || part.length !== code) throw new Damaged();
    }
    length += part.length;
    if (length > target.size) throw new Damaged();
    parts.push(part);
  }
  if (length !== target.size) throw new Damaged();
  return Buffer.concat(parts);
}

const idOf = ({ type, data }: GitObject) =>
  createHash("sha1").update(`${type} ${data.length}\0`).update(data).digest("hex");

/** Unpacks what a repository sent (version 2 of the format), as long as somebody waits for it. */
export async function readPack(data: Buffer, signal?: AbortSignal): Promise<Pack> {
  if (data.length < 32 || data.toString("latin1", 0, 4) !== "PACK") throw new Damaged();
  const count = data.readUInt32BE(8);
  if (count > mostObjects)
    throw new Error(`the repository sent ${count} objects, at most ${mostObjects} are read`);
  const atPlace = new Map<number, GitObject>();
  const known = new Map<string, GitObject>();
  let bytes = 0;
  let at = 12;
  for (let index = 0; index < count; index += 1) {
    if (index % atOnce === 0) {
      await turn();
      signal?.throwIfAborted();
    }
    const place = at;
    const first = byteAt(data, at);
    const kind = (first >> 4) & 7;
    at += 1;
    if (first > 127) at = readSize(data, at).end;
    let base: GitObject | undefined;
    if (kind === byOffset) {
      let byte = byteAt(data, at);
      let back = byte & 127;
      for (at += 1; byte > 127 && back < 2 ** 40; at += 1) {
        byte = byteAt(data, at);
        back = (back + 1) * 128 + (byte & 127);
      }
      base = atPlace.get(place - back);
    } else if (kind === byId) {
      base = known.get(data.toString("hex", at, at + 20));
      at += 20;
    }
    let unpacked: { buffer: Buffer; engine: { bytesWritten: number } };
    try {
      const options = { info: true, maxOutputLength: mostBytes - bytes + 1 };
      unpacked = inflateSync(data.subarray(at), options) as never;
    } catch {
      throw new Damaged();
    }
    at += unpacked.engine.bytesWritten;
    const isDelta = kind === byOffset || kind === byId;
    if (isDelta && !base) throw new Damaged();
    const content = base ? applyDelta(base.data, unpacked.buffer) : unpacked.buffer;
    const object = { type: base?.type ?? types[kind] ?? "", data: content };
    if (object.type === "") throw new Damaged();
    bytes += content.length;
    if (bytes > mostBytes)
      throw new Error(
        `the files of the repository are more than the ${mostBytes} bytes that are read`,
      );
    atPlace.set(place, object);
    known.set(idOf(object), object);
  }
  return (id) => known.get(id);
}

/** The content of a file of a commit; undefined when there is none. */
export function fileIn(pack: Pack, commit: string, path: string): Buffer | undefined {
  let object = pack(commit);
  if (object?.type === "tag")
    object = pack(/^object ([0-9a-f]{40})$/m.exec(object.data.toString("latin1"))?.[1] ?? "");
  if (object?.type !== "commit") throw new Damaged();
  object = pack(/^tree ([0-9a-f]{40})$/m.exec(object.data.toString("latin1"))?.[1] ?? "");
  for (const name of path.split("/").filter((part) => part !== "" && part !== ".")) {
    if (object?.type !== "tree") return undefined;
    const id = entryOf(object.data, name);
    if (id === undefined) return undefined;
    object = pack(id);
  }
  return object?.type === "blob" ? object.data : undefined;
}

function entryOf(tree: Buffer, wanted: string): string | undefined {
  for (let at = 0; at < tree.length;) {
    const space = tree.indexOf(0x20, at);
    const end = tree.indexOf(0, space);
    if (space < 0 || end < 0 || end + 21 > tree.length) throw new Damaged();
    if (tree.toString("utf8", space + 1, end) === wanted)
      return tree.toString("hex", end + 1, end + 21);
    at = end + 21;
  }
  return undefined;
}
