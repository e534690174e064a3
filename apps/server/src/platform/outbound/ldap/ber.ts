/** The Basic Encoding Rules as LDAP uses them (RFC 4511, section 5.1): definite lengths, tags of one byte. */

/** A tag with its content. */
export function tagged(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content]);
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 + bytes.length, ...bytes];
}

export const octets = (text: string | Uint8Array, tag = 0x04): Buffer =>
  tagged(tag, typeof text === "string" ? Buffer.from(text) : text);

/** Not negative, below 2^31. */
export function integer(value: number, tag = 0x02): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  let from = 0;
  while (from < 3 && bytes[from] === 0 && (bytes[from + 1] as number) < 0x80) from += 1;
  return tagged(tag, bytes.subarray(from));
}

export const boolean = (value: boolean, tag = 0x01): Buffer =>
  tagged(tag, Buffer.from([value ? 0xff : 0]));

export interface Element {
  tag: number;
  content: Buffer;
  /** Bytes of the whole, tag and length among them. */
  size: number;
}

/** Bytes that say a length, at most: more than 4 GiB in one element is nonsense. */
const mostLengthBytes = 4;

/** The element at the beginning of some bytes; undefined while it is not all there. @throws what is no element */
export function firstElement(bytes: Buffer, most: number): Element | undefined {
  if (bytes.length < 2) return undefined;
  const [tag, first] = bytes as unknown as [number, number];
  if ((tag & 0x1f) === 0x1f) throw new Error("a tag of several bytes");
  let header = 2;
  let length = first;
  if (first >= 0x80) {
    const count = first - 0x80;
    if (count === 0 || count > mostLengthBytes) throw new Error("a length that LDAP does not use");
    header += count;
    if (bytes.length < header) return undefined;
    length = bytes.readUIntBE(2, count);
  }
  if (length > most) throw new Error(`an element of ${length} bytes`);
  if (bytes.length < header + length) return undefined;
  return { tag, content: bytes.subarray(header, header + length), size: header + length };
}

/** The elements that some bytes consist of. @throws what is cut or no element */
export function allElements(bytes: Buffer): Element[] {
  const found: Element[] = [];
  for (let rest = bytes; rest.length > 0;) {
    const element = firstElement(rest, rest.length);
    if (!element) throw new Error("an element that is cut");
    found.push(element);
    rest = rest.subarray(element.size);
  }
  return found;
}

export function integerOf({ content }: Element): number {
  if (content.length === 0 || content.length > 4) throw new Error("a number that is too long");
  return content.readIntBE(0, content.length);
}
