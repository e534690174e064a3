import { arrayText } from "./sql/array-text.ts";
/** The messages of PostgreSQL's protocol (version 3) that run a statement, written as one piece. */

/** How long a message is, and what writes it from a place on. */
export interface Message {
  length: number;
  write(buffer: Buffer, at: number): void;
}

const fixed = (type: string, body: string): Message => {
  const bytes = Buffer.alloc(5 + body.length);
  bytes.write(`${type}\0\0\0\0${body}`, "latin1");
  bytes.writeInt32BE(4 + body.length, 1);
  return {
    length: bytes.length,
    write: (buffer, at) => void bytes.copy(buffer, at),
  };
};

/** Tells the columns of what is bound. */
export const describe = fixed("D", "P\0");
/** Runs what is bound, and wants all its rows. */
export const execute = fixed("E", "\0\0\0\0\0");
export const sync = fixed("S", "");
/** Forgets a prepared statement, if it is there. */
export const close = (name: string) => fixed("C", `S${name}\0`);

/** Has a statement read and, with a name, kept. The database finds the types of its parameters. */
export function parse(name: string, text: string): Message {
  // It would end the text, and the rest would pass for something else.
  if (text.includes("\0")) throw new Error("A statement holds a null character.");
  const textBytes = Buffer.byteLength(text);
  const length = 1 + 4 + name.length + 1 + textBytes + 1 + 2;
  return {
    length,
    write(buffer, at) {
      let place = head(buffer, at, "P", length);
      place += buffer.write(name, place, "latin1");
      buffer[place++] = 0;
      place += buffer.write(text, place);
      buffer[place++] = 0;
      buffer.writeInt16BE(0, place);
    },
  };
}

/** Parameters of one statement, by the protocol. */
const mostValues = 65_535;

/** Gives a statement its values, each as text, and wants all columns as text. */
export function bind(name: string, values: readonly unknown[]): Message {
  if (values.length > mostValues) throw new Error("A statement has too many values.");
  const texts = values.map(textOf);
  const lengths = texts.map((text) => (text === null ? -1 : Buffer.byteLength(text)));
  let length = 1 + 4 + 1 + name.length + 1 + 2 + 2 + 2;
  for (const bytes of lengths) length += 4 + Math.max(bytes, 0);
  return {
    length,
    write(buffer, at) {
      let place = head(buffer, at, "B", length);
      buffer[place++] = 0;
      place += buffer.write(name, place, "latin1");
      buffer[place++] = 0;
      place = buffer.writeInt16BE(0, place);
      place = buffer.writeUInt16BE(texts.length, place);
      texts.forEach((text, index) => {
        place = buffer.writeInt32BE(lengths[index] ?? -1, place);
        if (text !== null) place += buffer.write(text, place);
      });
      buffer.writeInt16BE(0, place);
    },
  };
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint")
    return String(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return arrayText(value);
  throw new TypeError(
    "A value of a statement is neither a text, a number, a boolean, a moment nor a list.",
  );
}

function head(buffer: Buffer, at: number, type: string, length: number): number {
  buffer.write(type, at, "latin1");
  return buffer.writeInt32BE(length - 1, at + 1);
}

/** One piece, so that it is one call of the system. */
export function packed(messages: readonly Message[]): Buffer {
  let length = 0;
  for (const message of messages) length += message.length;
  const buffer = Buffer.allocUnsafe(length);
  let at = 0;
  for (const message of messages) {
    message.write(buffer, at);
    at += message.length;
  }
  return buffer;
}
