import type { Socket } from "node:net";
import type { Document } from "bson";
import { readFrames } from "../read-frames.ts";
import { type ScramMechanism, scramLogin, scramMechanisms } from "./scram.ts";

/** MongoDB's wire protocol, as far as commands go: OP_MSG with one document there and one back. */

/** Of one answer to what a check asks. */
const mostMessage = 1024 * 1024;
const mostReceived = 4 * 1024 * 1024;
const headerSize = 16;
const opMsg = 2013;
const checksumPresent = 1;
const mostSteps = 5;
/** Of what a server says, in characters. */
const longestText = 500;

/** A command that the server refused. */
export class MongoRefusal extends Error {
  readonly code: number;
  constructor(message: string, code: number) {
    super(message);
    this.code = code;
  }
}

/** What a server says of itself. */
export interface MongoHello {
  /** Writes go here: a primary, a server on its own, or a router. */
  isPrimary: boolean;
  /** Name of the replica set it belongs to. */
  setName?: string;
  /** host:port of the primary, as it is known there. */
  primary?: string;
  /** Ways to log in that the user has; absent where the server does not say. */
  mechanisms?: string[];
}

export interface MongoLogin {
  username: string;
  password: string;
  /** The database that knows the user. */
  source: string;
  mechanism?: ScramMechanism;
}

export interface MongoClient {
  hello(login?: MongoLogin): Promise<MongoHello>;
  logIn(login: MongoLogin, mechanisms?: readonly string[]): Promise<void>;
  ping(): Promise<void>;
}

const textOf = (value: unknown) =>
  typeof value === "string" ? value.slice(0, longestText) : undefined;

/** Speaks over an open socket, one command after the other. */
export async function mongoClient(
  socket: Socket,
  { place, signal }: { place: string; signal: AbortSignal },
): Promise<MongoClient> {
  // Loaded by the first such check.
  const { Binary, deserialize, serialize } = await import("bson");
  const stranger = (cause?: unknown) =>
    new Error(`${place} does not answer as a MongoDB server`, { cause });
  let id = 0;
  const frames = readFrames<Buffer>(socket, {
    place,
    signal,
    mostReceived,
    first(bytes) {
      if (bytes.length < 4) return undefined;
      const size = bytes.readInt32LE(0);
      if (size < headerSize + 10 || size > mostMessage) throw stranger();
      return bytes.length < size ? undefined : { frame: bytes.subarray(0, size), size };
    },
  });

  function read(message: Buffer): Document {
    const end = message.length - (message.readUInt32LE(headerSize) & checksumPresent ? 4 : 0);
    const isAnswer =
      message.readInt32LE(8) === id &&
      message.readInt32LE(12) === opMsg &&
      message[headerSize + 4] === 0;
    if (!isAnswer) throw stranger();
    try {
      return deserialize(message.subarray(headerSize + 5, end));
    } catch (error) {
      throw stranger(error);
    }
  }

  /** @throws MongoRefusal */
  async function run(database: string, command: Document): Promise<Document> {
    const body = serialize({ ...command, $db: database });
    const head = Buffer.alloc(headerSize + 5);
    id += 1;
    head.writeInt32LE(head.length + body.length, 0);
    head.writeInt32LE(id, 4);
    head.writeInt32LE(opMsg, 12);
    socket.write(Buffer.concat([head, body]));
    const answer = read(await frames.next());
    if (Number(answer.ok) === 1) return answer;
    const why = textOf(answer.errmsg) ?? textOf(answer.codeName) ?? "no reason given";
    throw new MongoRefusal(why, Number(answer.code));
  }

  async function exchangeSteps(login: MongoLogin, mechanism: ScramMechanism): Promise<void> {
    const scram = scramLogin(mechanism, login);
    const payload = (text: string) => new Binary(Buffer.from(text));
    const said = (answer: Document) =>
      answer.payload instanceof Binary ? Buffer.from(answer.payload.value()).toString() : "";
    let answer = await run(login.source, {
      saslStart: 1,
      mechanism,
      payload: payload(scram.first),
      autoAuthorize: 1,
      options: { skipEmptyExchange: true },
    });
    const more = (text: string) =>
      run(login.source, {
        saslContinue: 1,
        conversationId: answer.conversationId as unknown,
        payload: payload(text),
      });
    const proof = await scram.answer(said(answer)).catch((error: unknown) => {
      throw new Error(`${place} breaks the rules of the login: ${(error as Error).message}`, {
        cause: error,
      });
    });
    answer = await more(proof);
    if (!scram.isProven(said(answer)))
      throw new Error(`${place} does not prove that it knows the password`);
    for (let step = 0; answer.done !== true; step += 1) {
      if (step === mostSteps) throw new Error(`${place} does not end the login`);
      answer = await more("");
    }
  }

  return {
    async hello(login) {
      const question = login && { saslSupportedMechs: `${login.source}.${login.username}` };
      const ask = (name: string) => run("admin", { [name]: 1, helloOk: true, ...question });
      const commandNotFound = 59;
      const answer = await ask("hello").catch((error: unknown) => {
        // Servers before 4.4 know the older name alone.
        if (error instanceof MongoRefusal && error.code === commandNotFound) return ask("isMaster");
        throw error;
      });
      const mechanisms: unknown = answer.saslSupportedMechs;
      const setName = textOf(answer.setName);
      const primary = textOf(answer.primary);
      return {
        isPrimary: answer.isWritablePrimary === true || answer.ismaster === true,
        ...(setName !== undefined && { setName }),
        ...(primary !== undefined && { primary }),
        ...(Array.isArray(mechanisms) && { mechanisms: mechanisms.map(String) }),
      };
    },
    async logIn(login, mechanisms) {
      const mechanism =
        login.mechanism ??
        scramMechanisms.find((one) => mechanisms?.includes(one)) ??
        // A user that is not there has no mechanisms; the refusal must not tell.
        "SCRAM-SHA-256";
      await exchangeSteps(login, mechanism);
    },
    async ping() {
      await run("admin", { ping: 1, $readPreference: { mode: "primary" } });
    },
  };
}
