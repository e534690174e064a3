import { createHash, randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { readFrames } from "../read-frames.ts";
import {
  type Cipher,
  ciphers,
  type Dialect,
  dialects,
  envelopeLength,
  envelopeMark,
  isSigned,
  signInPlace,
  type SmbKeys,
  smbKeys,
} from "./keys.ts";
import {
  type Answer,
  type Command,
  negotiateBody,
  readAnswer,
  readNegotiated,
  readSession,
  readTree,
  request,
  sessionBody,
  statuses,
  treeBody,
} from "./messages.ts";
import { firstToken, secondToken, type SmbLogin } from "./sign-in.ts";

/** What the server refused. */
export class SmbRefusal extends Error {
  readonly status: number;
  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

export interface SmbSession {
  /** Bytes that an answer may hold. */
  readonly mostAnswer: number;
  /** One request. Every answer is given back, whatever its status. */
  ask(command: Command, body: Buffer): Promise<Answer>;
}

const mostFrame = 256 * 1024;
const mostReceived = 256 * 1024 * 1024;
const mostOutput = 65_536;

export const statusName = (status: number): string =>
  `status 0x${status.toString(16).padStart(8, "0")}`;

/** Codes of a sign-in that people can do something about. */
const signIns: Readonly<Record<number, string>> = {
  0xc000_006d: "the user name or the password is wrong",
  0xc000_006e: "the account is restricted",
  0xc000_0070: "not from this machine",
  0xc000_0071: "the password has expired",
  0xc000_0072: "the account is switched off",
  0xc000_0193: "the account has expired",
  0xc000_015b: "not over the network",
  0xc000_0224: "the password must be changed first",
  0xc000_0234: "the account is locked",
  0xc000_0022: "access denied",
};

interface Options {
  place: string;
  signal: AbortSignal;
  login: SmbLogin;
}

/** Signs in over an open socket and goes to a share. */
export async function openSession(
  socket: Socket,
  path: { host: string; share: string },
  { place, signal, login }: Options,
): Promise<SmbSession> {
  const strange = (cause?: unknown) =>
    new Error(`${place} does not speak SMB 2 or 3 as expected`, { cause });
  const frames = readFrames<Buffer>(socket, {
    place,
    signal,
    mostReceived,
    first(bytes) {
      if (bytes.length < 4) return undefined;
      const length = bytes.readUIntBE(1, 3);
      if (bytes[0] !== 0 || length > mostFrame) throw strange();
      if (bytes.length < 4 + length) return undefined;
      return { frame: bytes.subarray(4, 4 + length), size: 4 + length };
    },
  });
  let id = 0n;
  let keys: SmbKeys | undefined;
  let isSealed = false;
  let sessionId: Buffer = Buffer.alloc(8);
  let treeId = 0;
  /** Of version 3.1.1: keys are made of everything that was said before. */
  let said: Buffer = Buffer.alloc(64);
  const remember = (message: Buffer) => {
    said = createHash("sha512").update(said).update(message).digest();
  };

  function send(message: Buffer): void {
    const whole = keys && isSealed ? keys.seal(message, sessionId) : message;
    const head = Buffer.alloc(4);
    head.writeUInt32BE(whole.length);
    socket.write(Buffer.concat([head, whole]));
  }

  /** What a frame says, and whether it is from who knows the key. */
  function unwrapped(frame: Buffer): { message: Buffer; isProven: boolean } {
    if (!frame.subarray(0, 4).equals(envelopeMark)) return { message: frame, isProven: false };
    const opened = keys && frame.length > envelopeLength ? keys.open(frame) : undefined;
    if (!opened) throw strange();
    return { message: opened, isProven: true };
  }

  async function answerTo(expected: bigint): Promise<Answer> {
    for (;;) {
      const { message, isProven } = unwrapped(await frames.next());
      const answer = readAnswer(message);
      if (!answer) throw strange();
      if (answer.id !== expected || answer.isInterim) continue;
      if (keys && !isProven && (isSealed || !isSigned(message, keys)))
        throw new Error(`${place} gave an answer that is not signed as agreed`);
      return answer;
    }
  }

  async function exchange(command: Command, body: Buffer): Promise<[sent: Buffer, answer: Answer]> {
    const message = request(command, { id, sessionId, treeId }, body);
    if (keys && !isSealed) signInPlace(message, keys);
    send(message);
    const answer = await answerTo(id);
    id += 1n;
    return [message, answer];
  }

  async function negotiate() {
    const body = negotiateBody({ clientId: randomBytes(16), salt: randomBytes(32) });
    const [sent, answer] = await exchange("negotiate", body);
    if (answer.status === statuses.notSupported)
      throw new Error(`${place} speaks no version of SMB that this server knows`);
    const read = answer.status === statuses.ok ? readNegotiated(answer.message) : undefined;
    const dialect = dialects.find((one) => one === read?.dialect);
    if (!read || !dialect) throw strange();
    remember(sent);
    remember(answer.message);
    return { ...read, dialect };
  }

  async function signIn({ dialect, cipher }: { dialect: Dialect; cipher: number }) {
    const refused = (status: number) => {
      const who = login.username === "" ? "anybody without a name" : login.username;
      const why = signIns[status] ?? statusName(status);
      return new SmbRefusal(`${place} did not let ${who} sign in: ${why}`, status);
    };
    const [asked, challenge] = await exchange("sessionSetup", sessionBody(firstToken()));
    if (challenge.status !== statuses.more) throw refused(challenge.status);
    remember(asked);
    remember(challenge.message);
    sessionId = Buffer.from(challenge.sessionId);
    const offered = readSession(challenge);
    const proof = offered && secondToken(offered.token, login);
    if (!proof) throw strange();
    const [told, verdict] = await exchange("sessionSetup", sessionBody(proof.token));
    if (verdict.status !== statuses.ok) throw refused(verdict.status);
    remember(told);
    const session = readSession(verdict);
    if (!session) throw strange();
    if (session.isGuest || !proof.sessionKey) {
      if (login.username === "") return;
      throw new SmbRefusal(
        `${place} does not know ${login.username} and lets everybody in as a guest`,
        statuses.accessDenied,
      );
    }
    const name = (Object.keys(ciphers) as Cipher[]).find((one) => ciphers[one] === cipher);
    keys = smbKeys({
      sessionKey: proof.sessionKey,
      dialect,
      cipher: name ?? "aes-128-ccm",
      said,
    });
    if (dialect === 0x0311 && !isSigned(verdict.message, keys))
      throw new Error(`${place} gave an answer that is not signed as agreed`);
    isSealed = session.isSealed;
  }

  async function enter(): Promise<void> {
    const [, answer] = await exchange("treeConnect", treeBody(`\\\\${path.host}\\${path.share}`));
    if (answer.status === statuses.badNetworkName)
      throw new SmbRefusal(`${place} has no share "${path.share}"`, answer.status);
    if (answer.status === statuses.accessDenied)
      throw new SmbRefusal(
        `the share "${path.share}" of ${place} may not be read by this user`,
        answer.status,
      );
    if (answer.status !== statuses.ok)
      throw new SmbRefusal(
        `${place} does not let anybody into the share "${path.share}": ${statusName(answer.status)}`,
        answer.status,
      );
    const tree = readTree(answer);
    if (!tree) throw strange();
    if (!tree.isDisk)
      throw new SmbRefusal(`the share "${path.share}" of ${place} holds no files`, answer.status);
    ({ treeId } = answer);
    isSealed ||= tree.isSealed;
  }

  const agreed = await negotiate();
  await signIn(agreed);
  await enter();
  return {
    mostAnswer: Math.min(mostOutput, agreed.mostAnswer),
    async ask(command, body) {
      const [, answer] = await exchange(command, body);
      return answer;
    },
  };
}
