import { boolean, octets, tagged } from "./ber.ts";

/** Filters nested in each other. */
const deepest = 32;

/** The text is no filter; the message says what and where. */
export class WrongFilter extends Error {}

/** A filter as people write it (RFC 4515), in the form that is sent. The outer parentheses may be left out. */
export function encodeFilter(text: string): Buffer {
  const trimmed = text.trim();
  const whole = trimmed.startsWith("(") ? trimmed : `(${trimmed})`;
  const reader = { text: whole, at: 0 };
  const filter = readFilter(reader, 0);
  if (reader.at < whole.length) throw wrong(reader, "the filter has ended here");
  return filter;
}

interface Reader {
  text: string;
  at: number;
}

const wrong = ({ text, at }: Reader, why: string) =>
  new WrongFilter(`${why}: "${text.slice(0, at).slice(-20)}«here»${text.slice(at, at + 20)}"`);

function expect(reader: Reader, character: string): void {
  if (reader.text[reader.at] !== character) throw wrong(reader, `a ${character} is missing`);
  reader.at += 1;
}

function readFilter(reader: Reader, depth: number): Buffer {
  if (depth > deepest) throw wrong(reader, `more than ${deepest} filters are nested`);
  expect(reader, "(");
  const made = readInside(reader, depth);
  expect(reader, ")");
  return made;
}

const groups: Record<string, number> = { "&": 0xa0, "|": 0xa1, "!": 0xa2 };

function readInside(reader: Reader, depth: number): Buffer {
  const sign = reader.text[reader.at] ?? "";
  const tag = groups[sign];
  if (tag === undefined) return readComparison(reader);
  reader.at += 1;
  const parts: Buffer[] = [];
  const most = sign === "!" ? 1 : Number.POSITIVE_INFINITY;
  while (reader.text[reader.at] === "(" && parts.length < most)
    parts.push(readFilter(reader, depth + 1));
  if (sign === "!" && parts.length === 0) throw wrong(reader, "a filter is missing");
  return tagged(tag, ...parts);
}

const attribute = /[A-Za-z0-9][\w.-]*(?:;[\w-]+)*/y;
const extensible = /([A-Za-z0-9][\w.;-]*)?(:dn)?(?::([\w.-]+))?:=/iy;
const comparisons: [sign: string, tag: number][] = [
  [">=", 0xa5],
  ["<=", 0xa6],
  ["~=", 0xa8],
];

function match(reader: Reader, pattern: RegExp): RegExpExecArray | undefined {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text);
  if (!found) return undefined;
  reader.at = pattern.lastIndex;
  return found;
}

function readComparison(reader: Reader): Buffer {
  const matched = match(reader, extensible);
  if (matched) {
    const [, name, dn, rule] = matched;
    if (!name && !rule) throw wrong(reader, "a name or a rule is missing");
    return tagged(
      0xa9,
      ...(rule ? [octets(rule, 0x81)] : []),
      ...(name ? [octets(name, 0x82)] : []),
      octets(readValue(reader), 0x83),
      ...(dn ? [boolean(true, 0x84)] : []),
    );
  }
  const name = match(reader, attribute)?.[0];
  if (name === undefined) throw wrong(reader, "the name of an attribute is missing");
  const ordered = comparisons.find(([sign]) => reader.text.startsWith(sign, reader.at));
  if (ordered) {
    reader.at += 2;
    return tagged(ordered[1], octets(name), octets(readValue(reader)));
  }
  expect(reader, "=");
  const parts = [readValue(reader)];
  while (reader.text[reader.at] === "*") {
    reader.at += 1;
    parts.push(readValue(reader));
  }
  if (parts.length === 1) return tagged(0xa3, octets(name), octets(parts[0] as Buffer));
  if (parts.every((part) => part.length === 0)) return octets(name, 0x87);
  const last = parts.length - 1;
  const pieces = parts.flatMap((part, index) => {
    if (part.length === 0) return [];
    const tag = index === 0 ? 0x80 : index === last ? 0x82 : 0x81;
    return [octets(part, tag)];
  });
  return tagged(0xa4, octets(name), tagged(0x30, ...pieces));
}

/** Up to the next star or parenthesis; `\2a` is the byte 2a. */
function readValue(reader: Reader): Buffer {
  const parts: Buffer[] = [];
  for (;;) {
    const plain = match(reader, /[^()*\\\0]+/y);
    if (plain) parts.push(Buffer.from(plain[0]));
    else if (reader.text[reader.at] === "\\") {
      const escape = match(reader, /\\([0-9a-fA-F]{2})/y);
      if (!escape) throw wrong(reader, "a \\ needs two hexadecimal digits behind it");
      parts.push(Buffer.from(escape[1] as string, "hex"));
    } else return Buffer.concat(parts);
  }
}
