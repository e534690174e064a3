import type { Socket } from "node:net";
import { readFrames } from "../read-frames.ts";
import {
  allElements,
  boolean,
  type Element,
  firstElement,
  integer,
  integerOf,
  octets,
  tagged,
} from "./ber.ts";

/** How a server ended an operation (RFC 4511, appendix A). */
export interface LdapResult {
  code: number;
  /** What it says of it; may be empty. */
  text: string;
}

export interface SearchRequest {
  base: string;
  /** From `encodeFilter`. */
  filter: Buffer;
  /** Entries that the server is asked for at most. */
  most: number;
}

export interface SearchEnd extends LdapResult {
  /** Names of the entries that were found. */
  names: string[];
}

export interface LdapClient {
  /** A simple login; without a name and a password nobody in particular. */
  bind(name: string, password: string): Promise<LdapResult>;
  /** Everything below the base. Only names of entries are asked for. */
  search(request: SearchRequest): Promise<SearchEnd>;
}

const mostMessage = 1024 * 1024;
const mostReceived = 16 * 1024 * 1024;
/** Of what a server says or calls an entry, in characters. */
const longestText = 500;

const tags = {
  message: 0x30,
  bind: 0x61,
  entry: 0x64,
  done: 0x65,
  reference: 0x73,
  notice: 0x78,
} as const;
const wholeSubtree = 2;

const cut = (content: Buffer) => content.toString("utf8").slice(0, longestText);

/** Speaks LDAP over an open socket, one operation after the other. */
export function ldapClient(
  socket: Socket,
  { place, signal }: { place: string; signal: AbortSignal },
): LdapClient {
  const messages = readFrames<Element>(socket, {
    place,
    signal,
    mostReceived,
    first(bytes) {
      try {
        if (bytes.length > 0 && bytes[0] !== tags.message) throw new Error("no message");
        const frame = firstElement(bytes, mostMessage);
        return frame && { frame, size: frame.size };
      } catch (error) {
        throw new Error(`${place} does not speak LDAP`, { cause: error });
      }
    },
  });
  let id = 0;

  const send = (operation: Buffer) => {
    id += 1;
    socket.write(tagged(tags.message, integer(id), operation));
  };
  const next = async (): Promise<Element> => {
    for (;;) {
      const message = await messages.next();
      const read = readMessage(message, place);
      if (read.operation.tag === tags.notice)
        throw new Error(`${place} ended the session: ${read.result().text}`);
      if (read.id === id) return read.operation;
    }
  };
  const wrong = () => new Error(`${place} does not answer as an LDAP server`);

  return {
    async bind(name, password) {
      send(tagged(0x60, integer(3), octets(name), octets(password, 0x80)));
      const answer = await next();
      if (answer.tag !== tags.bind) throw wrong();
      return resultOf(answer, place);
    },
    async search({ base, filter, most }) {
      send(
        tagged(
          0x63,
          octets(base),
          integer(wholeSubtree, 0x0a),
          // Aliases are followed nowhere; the time is kept here.
          integer(0, 0x0a),
          integer(most),
          integer(0),
          boolean(false),
          filter,
          // "1.1": no attributes.
          tagged(0x30, octets("1.1")),
        ),
      );
      const names: string[] = [];
      for (;;) {
        const answer = await next();
        if (answer.tag === tags.entry) {
          const [name] = elementsOf(answer.content, place);
          if (!name) throw wrong();
          names.push(cut(name.content));
          if (names.length > most)
            throw new Error(`${place} sends more entries than were asked for`);
        } else if (answer.tag === tags.done) return { ...resultOf(answer, place), names };
        else if (answer.tag !== tags.reference) throw wrong();
      }
    },
  };
}

function elementsOf(content: Buffer, place: string): Element[] {
  try {
    return allElements(content);
  } catch (error) {
    throw new Error(`${place} does not answer as an LDAP server`, { cause: error });
  }
}

function readMessage(message: Element, place: string) {
  const [number, operation] = elementsOf(message.content, place);
  if (message.tag !== tags.message || !number || !operation || number.content.length > 4)
    throw new Error(`${place} does not answer as an LDAP server`);
  return { id: integerOf(number), operation, result: () => resultOf(operation, place) };
}

function resultOf(operation: Element, place: string): LdapResult {
  const [code, , text] = elementsOf(operation.content, place);
  if (!code || !text || code.content.length !== 1)
    throw new Error(`${place} does not answer as an LDAP server`);
  return { code: integerOf(code), text: cut(text.content) };
}
