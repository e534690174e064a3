import { randomBytes } from "node:crypto";
import { type IncomingMessage, request as requestHttp } from "node:http";
import type { Socket } from "node:net";
import { hostOf, placeOf } from "../outbound/http/address.ts";
import { authorization } from "../outbound/http/authorization.ts";
import { open } from "../outbound/http/open.ts";
import { describeNetworkError } from "../outbound/network-errors.ts";
import { type AskOptions, connectorOf, pathOf, questionOf } from "./ask-cluster.ts";
import type { Cluster } from "./cluster.ts";
import { inNamespace } from "./list-objects.ts";
import { refusal } from "./kubernetes-error.ts";
import { readFrames } from "./web-socket-frames.ts";

export interface PodCommand {
  namespace: string;
  name: string;
  container: string;
  command: readonly string[];
  /** Bytes of its output. */
  most: number;
}

export interface CommandOutput {
  stdout: Buffer;
  stderr: string;
  /** Why it failed, in the cluster's words; undefined when it did not. */
  failure?: string;
}

/** Older clusters know the first alone; the others say the same for what is asked here. */
const protocols = "v4.channel.k8s.io, v5.channel.k8s.io";
const channels = { stdout: 1, stderr: 2, end: 3 };
const mostRefusal = 65_536;
const keptErrors = 16_384;

/** Runs a program in a container of a pod to its end, over a WebSocket. */
export async function execInPod(
  cluster: Cluster,
  { namespace, name, container, command, most }: PodCommand,
  { connector, signal }: AskOptions,
): Promise<CommandOutput> {
  const task = `run ${command[0]} in the Pod "${name}"${inNamespace(namespace)}`;
  const { url, auth } = await questionOf(cluster, {
    path: pathOf("api", "v1", "namespaces", namespace, "pods", name, "exec"),
    query: { container, stdout: "true", stderr: "true" },
  });
  for (const part of command) url.searchParams.append("command", part);
  const place = placeOf(url);
  const socket = await open({
    url,
    proxy: cluster.proxy,
    tls: cluster.tls,
    signal,
    connector: connectorOf(cluster, connector),
  });
  try {
    await upgrade(socket, { url, place, task, auth: auth && authorization(auth), signal });
    return await gather(socket, { most, task, place, signal });
  } finally {
    socket.on("error", () => undefined);
    socket.destroy();
  }
}

interface Upgrade {
  url: URL;
  place: string;
  task: string;
  auth: string | undefined;
  signal: AbortSignal;
}

function upgrade(socket: Socket, { url, place, task, auth, signal }: Upgrade): Promise<void> {
  return new Promise((fulfil, reject) => {
    const request = requestHttp({
      method: "GET",
      host: hostOf(url),
      path: `${url.pathname}${url.search}`,
      headers: {
        host: url.host,
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": randomBytes(16).toString("base64"),
        "sec-websocket-protocol": protocols,
        ...(auth && { authorization: auth }),
      },
      createConnection: () => socket,
      signal,
    });
    request.once("upgrade", (_response, _socket, head) => {
      if (head.length > 0) socket.unshift(head);
      fulfil();
    });
    request.once("response", (response) => {
      void bodyOf(response).then((body) =>
        reject(refusal({ code: response.statusCode ?? 0, body }, { place, task })),
      );
    });
    request.once("error", (error) =>
      reject(signal.aborted ? (signal.reason as Error) : describeNetworkError(error, place)),
    );
    request.end();
  });
}

async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > mostRefusal) break;
    }
  } catch {
    // What came is enough to say that it refused.
  }
  return Buffer.concat(chunks);
}

async function gather(
  socket: Socket,
  { most, task, place, signal }: { most: number; task: string; place: string; signal: AbortSignal },
): Promise<CommandOutput> {
  const stdout: Buffer[] = [];
  let length = 0;
  let stderr = "";
  const stop = () => socket.destroy(signal.reason as Error);
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const message of readFrames(socket, { most: most + 1024, place })) {
      const channel = message[0];
      const content = message.subarray(1);
      if (channel === channels.stdout) {
        stdout.push(content);
        length += content.length;
        if (length > most) throw new Error(`cannot ${task}: it prints more than ${most} bytes`);
      } else if (channel === channels.stderr) {
        if (stderr.length < keptErrors) stderr += content.toString("utf8");
      } else if (channel === channels.end && content.length > 0) {
        const failure = failureIn(content.toString("utf8"));
        return {
          stdout: Buffer.concat(stdout),
          stderr: stderr.slice(0, keptErrors),
          ...(failure !== undefined && { failure }),
        };
      }
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason as Error;
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
  throw new Error(`cannot ${task}: ${place} ended the connection before the program did`);
}

/** How it ended is told in a `Status`. */
function failureIn(text: string): string | undefined {
  try {
    const status = JSON.parse(text) as { status?: unknown; message?: unknown };
    if (status.status === "Success") return undefined;
    if (typeof status.message === "string") return status.message.slice(0, 500);
  } catch {
    // Some other words.
  }
  return "it failed";
}
