import { createHash, createHmac, randomBytes } from "node:crypto";
import type { IncomingMessage, RequestListener } from "node:http";
import type { Socket } from "node:net";
import { md4 } from "../http/md4.ts";

/** For tests: servers that let one person in, written from the public descriptions of what they speak. */

export interface Person {
  username: string;
  password: string;
  domain?: string;
}

const wide = (text: string) => Buffer.from(text, "utf16le");
const hmac = (key: Buffer, ...parts: Buffer[]) =>
  createHmac("md5", key).update(Buffer.concat(parts)).digest();

export const bodyOf = (request: IncomingMessage): Promise<string> =>
  new Promise((fulfil) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => fulfil(Buffer.concat(chunks).toString()));
  });

/** NTLM as [MS-NLMP] and [MS-NTHT] describe it: a challenge a connection, and the proof of version 2 judged. */
export function ntlmServer(
  { username, password, domain = "" }: Person,
  { closesBetween = false }: { closesBetween?: boolean } = {},
): RequestListener {
  const challenges = new WeakMap<Socket, Buffer>();
  const pair = (id: number, value: Buffer) => {
    const head = Buffer.alloc(4);
    head.writeUInt16LE(id, 0);
    head.writeUInt16LE(value.length, 2);
    return Buffer.concat([head, value]);
  };
  const targetInfo = Buffer.concat([
    pair(2, wide("SHOP")),
    pair(1, wide("FRONT")),
    pair(0, Buffer.alloc(0)),
  ]);
  const challengeMessage = (challenge: Buffer) => {
    const head = Buffer.alloc(48);
    head.write("NTLMSSP\0", "latin1");
    head.writeUInt32LE(2, 8);
    head.writeUInt32LE(48, 16);
    head.writeUInt32LE(0x80000 | 0x800000 | 0x8000 | 0x200 | 0x4 | 0x1, 20);
    challenge.copy(head, 24);
    head.writeUInt16LE(targetInfo.length, 40);
    head.writeUInt16LE(targetInfo.length, 42);
    head.writeUInt32LE(48, 44);
    return Buffer.concat([head, targetInfo]);
  };
  const field = (message: Buffer, at: number) => {
    const offset = message.readUInt32LE(at + 4);
    return message.subarray(offset, offset + message.readUInt16LE(at));
  };
  const isGood = (message: Buffer, challenge: Buffer) => {
    const nt = field(message, 20);
    const names = [field(message, 28), field(message, 36)].map((one) => one.toString("utf16le"));
    const [theirDomain = "", user = ""] = names;
    if (user !== username || theirDomain !== domain || nt.length < 44) return false;
    const key = hmac(md4(wide(password)), wide(user.toUpperCase() + theirDomain));
    return hmac(key, challenge, nt.subarray(16)).equals(nt.subarray(0, 16));
  };
  return (request, response) => {
    const { socket } = request;
    const refuse = (more = "") => {
      response.writeHead(401, {
        "www-authenticate": `NTLM${more}`,
        ...(closesBetween && { connection: "close" }),
      });
      response.end("who are you?");
    };
    void bodyOf(request).then((body) => {
      const sent = /^NTLM (.+)$/.exec(request.headers.authorization ?? "")?.[1];
      const message = Buffer.from(sent ?? "", "base64");
      const type = message.length >= 12 ? message.readUInt32LE(8) : 0;
      if (type === 1) {
        const challenge = randomBytes(8);
        challenges.set(socket, challenge);
        return refuse(` ${challengeMessage(challenge).toString("base64")}`);
      }
      const challenge = challenges.get(socket);
      challenges.delete(socket);
      if (type === 3 && challenge && isGood(message, challenge))
        return response.end(`hello ${body}`);
      return refuse();
    });
  };
}

/** Digest as RFC 7616 describes it; every nonce is good once, and the first is called stale. */
export function digestServer(
  { username, password }: Person,
  {
    algorithm = "SHA-256",
    isFirstStale = false,
  }: { algorithm?: string; isFirstStale?: boolean } = {},
): RequestListener {
  const realm = "the shop";
  const nonces = new Set<string>();
  let stale = isFirstStale ? 1 : 0;
  const hash = (text: string) =>
    createHash(algorithm.startsWith("MD5") ? "md5" : "sha256")
      .update(text)
      .digest("hex");
  return (request, response) => {
    const refuse = (more = "") => {
      const nonce = randomBytes(12).toString("hex");
      nonces.add(nonce);
      response.writeHead(401, {
        "www-authenticate": [
          'Basic realm="not this one"',
          `Digest realm="${realm}", qop="auth", algorithm=${algorithm}, nonce="${nonce}", opaque="o"${more}`,
        ],
      });
      response.end();
    };
    const sent = request.headers.authorization ?? "";
    const value = (name: string) =>
      new RegExp(`[ ,]${name}=(?:"([^"]*)"|([^ ,]*))`).exec(sent)?.slice(1).join("") ?? "";
    if (!sent.startsWith("Digest ")) return refuse();
    const nonce = value("nonce");
    if (!nonces.delete(nonce)) return refuse();
    if (stale > 0) {
      stale -= 1;
      return refuse(", stale=true");
    }
    const login = hash(`${username}:${realm}:${password}`);
    const first = algorithm.endsWith("-sess")
      ? hash(`${login}:${nonce}:${value("cnonce")}`)
      : login;
    const asked = hash(`${request.method}:${request.url}`);
    const rest = [nonce, value("nc"), value("cnonce"), value("qop"), asked].join(":");
    const isGood =
      value("username") === username &&
      value("uri") === request.url &&
      value("opaque") === "o" &&
      value("response") === hash(`${first}:${rest}`);
    if (!isGood) return refuse();
    void bodyOf(request).then((body) => response.end(`hello ${body}`));
    return undefined;
  };
}

export interface TokenServer {
  handler: RequestListener;
  /** Forms that it was sent, with the client as the header named it. */
  seen: { client: string; form: Record<string, string> }[];
  /** Tokens that are good. */
  good: Set<string>;
}

/** A token endpoint (RFC 6749, section 4.4) at /token; everything else wants one of its tokens. */
export function tokenServer({
  clientId,
  clientSecret,
  expiresIn = 3600,
  reads = "header",
}: {
  clientId: string;
  clientSecret: string;
  expiresIn?: number;
  reads?: "header" | "body";
}): TokenServer {
  const seen: TokenServer["seen"] = [];
  const good = new Set<string>();
  const handler: RequestListener = (request, response) => {
    void bodyOf(request).then((body) => {
      response.setHeader("content-type", "application/json");
      if (request.url !== "/token") {
        const token = request.headers.authorization?.replace(/^Bearer /, "") ?? "";
        response.statusCode = good.has(token) ? 200 : 401;
        return response.end(JSON.stringify({ said: request.headers.authorization }));
      }
      const form = Object.fromEntries(new URLSearchParams(body));
      const basic = /^Basic (.+)$/.exec(request.headers.authorization ?? "")?.[1];
      const [name, secret] = (
        Buffer.from(basic ?? "", "base64")
          .toString()
          .split(":") ?? []
      ).map((text) => decodeURIComponent(text.replaceAll("+", " ")));
      seen.push({ client: name ?? "", form });
      const isGood =
        request.method === "POST" &&
        form.grant_type === "client_credentials" &&
        (reads === "header"
          ? name === clientId && secret === clientSecret
          : form.client_id === clientId && form.client_secret === clientSecret);
      if (!isGood) {
        response.statusCode = 401;
        return response.end(
          JSON.stringify({ error: "invalid_client", error_description: "no such client" }),
        );
      }
      const token = `token-${randomBytes(9).toString("hex")}`;
      good.add(token);
      return response.end(
        JSON.stringify({ access_token: token, token_type: "Bearer", expires_in: expiresIn }),
      );
    });
  };
  return { handler, seen, good };
}
