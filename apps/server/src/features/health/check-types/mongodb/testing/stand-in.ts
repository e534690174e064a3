import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { Binary, deserialize, type Document, serialize } from "bson";

/**
 * A stand-in for MongoDB at the level of its wire protocol, written after the public documentation (OP_MSG, `hello`,
 * "Authentication" and "Server Discovery And Monitoring" of the driver specifications). It keeps what servers keep of
 * a password, a stored and a server key, and so really verifies a SCRAM login.
 */
export interface StandIn {
  /** By name; the password in plain text is forgotten at once. */
  user?: {
    name: string;
    password: string;
    source?: string;
    mechanisms?: ("SCRAM-SHA-1" | "SCRAM-SHA-256")[];
  };
  /** What `hello` answers beside `ok`. A server on its own when absent. */
  hello?: () => Document;
  /** Knows `isMaster` alone, as servers before 4.4. */
  isOld?: boolean;
  /** Rounds that are asked for. */
  rounds?: number;
  /** Does not know the password, and lets everybody in. */
  isImpostor?: boolean;
  /** Names of the commands that were run. */
  commands?: string[];
}

const hashes = { "SCRAM-SHA-1": ["sha1", 20], "SCRAM-SHA-256": ["sha256", 32] } as const;

function keep(
  { name, password }: { name: string; password: string },
  mechanism: keyof typeof hashes,
  rounds: number,
) {
  const [algorithm, size] = hashes[mechanism];
  const secret =
    mechanism === "SCRAM-SHA-1"
      ? createHash("md5").update(`${name}:mongo:${password}`).digest("hex")
      : password;
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(secret, salt, rounds, size, algorithm);
  const hmac = (key: Uint8Array, text: string) => createHmac(algorithm, key).update(text).digest();
  const storedKey = createHash(algorithm).update(hmac(salted, "Client Key")).digest();
  return { algorithm, hmac, salt, storedKey, serverKey: hmac(salted, "Server Key"), rounds };
}

const refusal = (code: number, codeName: string, errmsg: string) => ({
  ok: 0,
  errmsg,
  code,
  codeName,
});
const badLogin = () => refusal(18, "AuthenticationFailed", "Authentication failed.");

/** Serves one connection. */
export function serveMongo(socket: Socket, standIn: StandIn): void {
  const { user, rounds = 4096 } = standIn;
  let login:
    | { kept: ReturnType<typeof keep>; bare: string; challenge: string; nonce: string }
    | undefined;
  let isIn = user === undefined;

  function start({ mechanism, payload, $db }: Document): Document {
    const first = Buffer.from((payload as Binary).buffer).toString();
    const [, name, nonce] = /^n,,n=([^,]*),r=(.+)$/.exec(first) ?? [];
    const known = user?.mechanisms ?? ["SCRAM-SHA-256"];
    const isKnown = user?.name === name && (user?.source ?? "admin") === $db;
    if (!user || !isKnown || !known.includes(mechanism as never)) return badLogin();
    const kept = keep(user, mechanism as "SCRAM-SHA-1", rounds);
    const full = nonce + randomBytes(12).toString("base64");
    const challenge = `r=${full},s=${kept.salt.toString("base64")},i=${rounds}`;
    login = { kept, bare: first.slice(3), challenge, nonce: full };
    return { ok: 1, conversationId: 1, done: false, payload: new Binary(Buffer.from(challenge)) };
  }

  function proceed({ payload }: Document): Document {
    if (!login) return badLogin();
    const { kept, bare, challenge, nonce } = login;
    const last = Buffer.from((payload as Binary).buffer).toString();
    const [, withoutProof = "", proof = ""] = /^(c=biws,r=[^,]+),p=(.+)$/.exec(last) ?? [];
    const all = `${bare},${challenge},${withoutProof}`;
    const signature = kept.hmac(kept.storedKey, all);
    const key = Buffer.from(Buffer.from(proof, "base64").map((byte, at) => byte ^ signature[at]!));
    const isRight =
      withoutProof === `c=biws,r=${nonce}` &&
      createHash(kept.algorithm).update(key).digest().equals(kept.storedKey);
    if (!isRight && !standIn.isImpostor) return badLogin();
    isIn = true;
    const serverKey = standIn.isImpostor ? randomBytes(kept.serverKey.length) : kept.serverKey;
    const final = `v=${kept.hmac(serverKey, all).toString("base64")}`;
    return { ok: 1, conversationId: 1, done: true, payload: new Binary(Buffer.from(final)) };
  }

  function answer(command: Document): Document {
    const [name = ""] = Object.keys(command);
    standIn.commands?.push(name);
    switch (name) {
      case "hello":
      case "isMaster": {
        if (name === "hello" && standIn.isOld)
          return refusal(59, "CommandNotFound", "no such command: 'hello'");
        const alone = name === "hello" ? { isWritablePrimary: true } : { ismaster: true };
        const asked = command.saslSupportedMechs as string | undefined;
        const isUser = user && asked === `${user.source ?? "admin"}.${user.name}`;
        return {
          ...(standIn.hello?.() ?? alone),
          ...(isUser && { saslSupportedMechs: user.mechanisms ?? ["SCRAM-SHA-256"] }),
          maxWireVersion: 21,
          ok: 1,
        };
      }
      case "saslStart":
        return start(command);
      case "saslContinue":
        return proceed(command);
      case "ping":
        // A real one answers everybody; that the login came before is what is to be seen.
        return isIn ? { ok: 1 } : refusal(13, "Unauthorized", "not authorized");
      default:
        return refusal(59, "CommandNotFound", `no such command: '${name}'`);
    }
  }

  let received = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 4 && received.length >= received.readInt32LE(0)) {
      const size = received.readInt32LE(0);
      const message = received.subarray(0, size);
      received = received.subarray(size);
      if (message.readInt32LE(12) !== 2013 || message[20] !== 0) return void socket.destroy();
      socket.write(opMsg(answer(deserialize(message.subarray(21))), message.readInt32LE(4)));
    }
    return undefined;
  });
}

/** A message that answers another. */
export function opMsg(body: Document, responseTo: number): Buffer {
  const bytes = serialize(body);
  const head = Buffer.alloc(21);
  head.writeInt32LE(head.length + bytes.length, 0);
  head.writeInt32LE(4711, 4);
  head.writeInt32LE(responseTo, 8);
  head.writeInt32LE(2013, 12);
  return Buffer.concat([head, bytes]);
}
