import type { Duplex } from "node:stream";
import type { ClientChannel } from "ssh2";
import type { Connector } from "../connector.ts";
import { exchange, type HttpRequest } from "../http/exchange.ts";
import { describeNetworkError, placeName } from "../network-errors.ts";
import { askSsh, openSsh, type SshTarget } from "../ssh/open-ssh.ts";
import { flush, packetLine, readPacketLines } from "./packet-lines.ts";

/** Bytes that a repository may send: its names, and the files of one commit. */
const mostNames = 16 * 1024 * 1024;
const mostPack = 32 * 1024 * 1024;
const gitPort = 9418;
/** Of what a server says beside the conversation, in characters. */
const longestComplaint = 300;
const service = "git-upload-pack";

export interface GitOptions {
  signal: AbortSignal;
  connector: Connector;
}

export interface GitLogin {
  username: string;
  password: string;
}

/** A repository that is asked in the protocol of Git (version 0, which every server speaks). */
export interface Repository {
  /** What it has: the beginning of every conversation. */
  advertised(): Promise<Buffer>;
  /** What it sends for a request; the connection is over afterwards. */
  fetch(request: Buffer): Promise<Buffer>;
  end(): void;
}

function refusal(what: string, code: number): Error {
  if (code === 401 || code === 403)
    return new Error(`${what} does not let in who asks (${code}): check the username and password`);
  if (code === 404) return new Error(`${what} is not there (404), or not for these credentials`);
  return new Error(`${what} answered ${code}`);
}

/** Over HTTP ("smart"). */
export function overHttp(url: URL, login: GitLogin | undefined, options: GitOptions): Repository {
  const base = new URL(url);
  base.pathname = base.pathname.replace(/\/+$/, "");
  const what = `the repository at ${url.host}${base.pathname}`;
  const auth = login && { kind: "basic" as const, ...login };
  const ask = async (
    request: Partial<HttpRequest> & { path: string; type: string; most: number },
  ) => {
    const { path, type, most, ...more } = request;
    const asked = new URL(base);
    asked.pathname += path;
    if (path === "/info/refs") asked.searchParams.set("service", service);
    const answer = await exchange({ ...more, url: asked, auth, mostBody: most }, options);
    if (answer.code !== 200) throw refusal(what, answer.code);
    if (answer.isCut) throw new Error(`${what} sent more than ${most} bytes`);
    if (answer.headers["content-type"] !== type)
      throw new Error(`what answers at ${asked.host}${base.pathname} is no repository of Git`);
    return answer.body;
  };
  return {
    async advertised() {
      const type = `application/x-${service}-advertisement`;
      const body = await ask({ path: "/info/refs", type, most: mostNames });
      const { lines, end } = readPacketLines(body, 1);
      const isOne = lines[0]?.toString().startsWith(`# service=${service}`);
      return isOne ? body.subarray(end) : body;
    },
    fetch: (request) =>
      ask({
        path: `/${service}`,
        type: `application/x-${service}-result`,
        most: mostPack,
        method: "POST",
        headers: { "content-type": `application/x-${service}-request` },
        body: request,
      }),
    end: () => undefined,
  };
}

/** Over a socket of its own (git://), which knows no credentials. */
export async function overSocket(url: URL, { signal, connector }: GitOptions): Promise<Repository> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = Number(url.port || gitPort);
  const place = placeName(host, port);
  const socket = await connector.tcp({ host, port }, { signal });
  const repository = overStream(socket, { place, signal, end: () => socket.destroy() });
  const target = url.port ? `${host}:${port}` : host;
  socket.write(packetLine(`${service} ${decodeURIComponent(url.pathname)}\0host=${target}\0`));
  return repository;
}

/** Through a server of SSH, which runs its side of the conversation. */
export async function overSsh(
  target: SshTarget,
  path: string,
  options: GitOptions,
): Promise<Repository> {
  const { signal } = options;
  const ssh = await openSsh(target, options);
  // As Git quotes: the other side hands it to a shell.
  const quoted = path.replaceAll(/['!]/g, (letter) => `'\\${letter}'`);
  const channel = await askSsh<ClientChannel>(ssh, signal, (done) =>
    ssh.client.exec(`${service} '${quoted}'`, done as never),
  ).catch((error: unknown) => {
    ssh.close();
    if (signal.aborted) throw error;
    throw new Error(`${ssh.place} does not run Git for this user`, { cause: error });
  });
  let complaint = "";
  channel.stderr.on("data", (chunk: Buffer) => {
    if (complaint.length < longestComplaint) complaint += chunk.toString("utf8");
  });
  return overStream(channel, {
    place: ssh.place,
    signal,
    end: () => ssh.close(),
    complaint: () => complaint.slice(0, longestComplaint).trim(),
  });
}

interface StreamOptions {
  place: string;
  signal: AbortSignal;
  end(): void;
  /** What the other side says beside the conversation. */
  complaint?(): string;
}

function overStream(
  stream: Duplex,
  { place, signal, end, complaint = () => "" }: StreamOptions,
): Repository {
  let received: Buffer[] = [];
  let length = 0;
  /** The last bytes of what came. */
  let tail = "";
  let isOver = false;
  let failure: Error | undefined;
  let wake: (() => void) | undefined;
  // An ended connection need not close what runs over it.
  const stop = () => {
    end();
    wake?.();
  };
  signal.addEventListener("abort", stop, { once: true });
  stream.on("data", (chunk: Buffer) => {
    received.push(chunk);
    length += chunk.length;
    tail = (tail + chunk.toString("latin1", Math.max(0, chunk.length - flush.length))).slice(
      -flush.length,
    );
    if (length > mostPack) {
      failure = new Error(`${place} sent more than ${mostPack} bytes`);
      end();
    }
    wake?.();
  });
  stream.on("error", (error) => {
    failure ??= describeNetworkError(error, place);
    wake?.();
  });
  stream.on("close", () => {
    isOver = true;
    wake?.();
  });
  /** What came until it is whole, or until the other side has hung up. It is put together when it may be whole alone. */
  const until = async (isWhole: () => boolean): Promise<Buffer> => {
    for (;;) {
      signal.throwIfAborted();
      if (failure) throw failure;
      if (isOver || isWhole()) {
        const data = Buffer.concat(received);
        received = [data];
        return data;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const hasFlush = () =>
    tail === flush.toString("latin1") &&
    readPacketLines(Buffer.concat(received), 1).lines.includes(undefined);
  return {
    async advertised() {
      const data = await until(hasFlush);
      if (data.length === 0) {
        const why = complaint();
        throw new Error(
          why === ""
            ? `${place} hung up: it has no such repository, or does not serve it`
            : `the repository refused: ${why}`,
        );
      }
      received = [];
      return data;
    },
    async fetch(request) {
      stream.write(request);
      return until(() => false);
    },
    end() {
      signal.removeEventListener("abort", stop);
      end();
    },
  };
}

export interface GitRefs {
  /** What the names of branches and tags stand for. */
  refs: Map<string, string>;
  /** The branch that is looked at first. */
  head?: string;
  capabilities: ReadonlySet<string>;
}

const mostRefs = 100_000;
const refLine = /^([0-9a-f]{40}) ([^\0\n]+)(?:\0([^\n]*))?\n?$/;

/** Reads what a repository says that it has. */
export function readRefs(data: Buffer): GitRefs {
  const { lines } = readPacketLines(data, 1);
  if (!lines.includes(undefined)) throw new Error("what answered is no repository of Git");
  const refs = new Map<string, string>();
  const capabilities = new Set<string>();
  for (const line of lines.slice(0, mostRefs)) {
    const text = line?.toString("utf8") ?? "";
    if (text.startsWith("ERR "))
      throw new Error(`the repository refused: ${text.slice(4, 300).trim()}`);
    const [, id = "", name = "", said] = refLine.exec(text) ?? [];
    for (const one of said?.split(" ") ?? []) capabilities.add(one);
    if (id !== "" && !name.endsWith("^{}")) refs.set(name, id);
  }
  const head = [...capabilities].find((one) => one.startsWith("symref=HEAD:"))?.slice(12);
  return { refs, capabilities, ...(head && { head }) };
}

/** Asks for one commit with all its files, and nothing from before it. */
export const wantOne = (commit: string, { capabilities }: GitRefs): Buffer => {
  const offered = ["shallow", "ofs-delta"].filter((one) => capabilities.has(one));
  const shallow = capabilities.has("shallow");
  return Buffer.concat([
    packetLine(`want ${commit} ${offered.join(" ")}\n`),
    ...(shallow ? [packetLine("deepen 1\n")] : []),
    flush,
    packetLine("done\n"),
  ]);
};

/** The pack in what a repository sent for a request. */
export function packIn(data: Buffer): Buffer {
  for (let at = 0; at < data.length;) {
    const { lines, end } = readPacketLines(data.subarray(at));
    const refused = lines.find((line) => line?.toString("latin1", 0, 4) === "ERR ");
    if (refused)
      throw new Error(`the repository refused: ${refused.toString("utf8", 4, 300).trim()}`);
    at += end;
    if (data.toString("latin1", at, at + 4) === "PACK") return data.subarray(at);
    break;
  }
  throw new Error("the repository sent no files");
}
