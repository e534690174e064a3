import { setTimeout as pause } from "node:timers/promises";
import type { Connector } from "../outbound/connector.ts";
import { placeOf } from "../outbound/http/address.ts";
import { type Exchange, exchange } from "../outbound/http/exchange.ts";
import type { Cluster } from "./cluster.ts";
import { readNamed } from "./kubeconfig.ts";
import { refusal } from "./kubernetes-error.ts";

export interface Question {
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  /** Below the address of the cluster; `pathOf` makes it. */
  path: string;
  query?: Readonly<Record<string, string | number | undefined>>;
  body?: unknown;
  contentType?: string;
  accept?: string;
  /** Completes "cannot …" in messages. */
  task: string;
  /** Bytes of the answer. */
  most?: number;
  /** Told how many bytes the answer has. */
  onLength?: (bytes: number) => void;
  /** Whether an answer that is longer is cut and not refused. */
  mayBeCut?: boolean;
}

export interface AskOptions {
  connector: Connector;
  signal: AbortSignal;
}

/** More was asked for than is read of one answer. */
export class AnswerTooLong extends Error {}

const mostAnswer = 16 * 1024 * 1024;
/** Deeper than any object of Kubernetes, and harmless to what walks down afterwards. */
const deepest = 128;
/** How often an overloaded server is asked again, and how long it may ask to wait. */
const mostTries = 4;
const longestWaitMs = 10_000;

/** A path of names; none of them can lead anywhere else. */
export function pathOf(...names: readonly string[]): string {
  const odd = names.find((name) => /^\.{0,2}$|[/\\\0]/.test(name));
  if (odd !== undefined) throw new Error(`"${odd.slice(0, 100)}" is no name of Kubernetes`);
  return names.map((name) => `/${encodeURIComponent(name)}`).join("");
}

/** Where a question is sent, and as whom. */
export async function questionOf(
  cluster: Cluster,
  { path, query = {} }: Pick<Question, "path" | "query">,
): Promise<{ url: URL; auth?: Cluster["auth"] }> {
  const url = new URL(cluster.url);
  url.pathname = url.pathname.replace(/\/+$/, "") + path;
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== "") url.searchParams.set(name, String(value));
  const token = cluster.tokenFile && (await readNamed(cluster.tokenFile, "token")).trim();
  const auth = token ? ({ kind: "bearer", token } as const) : cluster.auth;
  return { url, ...(auth && { auth }) };
}

/** What the settings of this server name is not judged. */
export const connectorOf = ({ isOwn }: Cluster, connector: Connector): Connector =>
  isOwn
    ? {
        ...connector,
        tcp: (target, options) => connector.tcp(target, { ...options, isOwn: true }),
      }
    : connector;

/** An answer of the API, or its refusal thrown. @throws KubernetesError */
export async function askCluster(
  cluster: Cluster,
  question: Question,
  { connector, signal }: AskOptions,
): Promise<Buffer> {
  const place = placeOf(cluster.url);
  const { url, auth } = await questionOf(cluster, question);
  const send = (): Promise<Exchange> =>
    exchange(
      {
        url,
        ...(auth && { auth }),
        method: question.method ?? "GET",
        headers: {
          accept: question.accept ?? "application/json",
          ...(question.body !== undefined && {
            "content-type": question.contentType ?? "application/json",
          }),
        },
        ...(question.body !== undefined && { body: JSON.stringify(question.body) }),
        tls: cluster.tls,
        ...(cluster.proxy && { proxy: cluster.proxy }),
        // The credentials are for this server alone.
        maxRedirects: 0,
        mostBody: question.most ?? mostAnswer,
      },
      { signal, connector: connectorOf(cluster, connector) },
    );
  for (let tried = 1; ; tried += 1) {
    const answer = await send();
    const wait = Number(answer.headers["retry-after"]);
    const isBusy = answer.code === 429 || answer.code === 503;
    if (isBusy && tried < mostTries && Number.isFinite(wait)) {
      await pause(Math.min(Math.max(wait, 0) * 1000, longestWaitMs), undefined, { signal });
      continue;
    }
    if (answer.code < 200 || answer.code > 299)
      throw refusal(answer, { place, task: question.task });
    if (answer.isCut && !question.mayBeCut)
      throw new AnswerTooLong(
        `cannot ${question.task}: the answer of the cluster ${place} is too long`,
      );
    question.onLength?.(answer.body.length);
    return answer.body;
  }
}

/** The same, of an answer in JSON. */
export async function askForJson(
  cluster: Cluster,
  question: Question,
  options: AskOptions,
): Promise<Record<string, unknown>> {
  return readJson(await askCluster(cluster, question, options), { cluster, task: question.task });
}

/** An object of JSON that a cluster said. */
export function readJson(
  body: Buffer,
  { cluster, task }: { cluster: Cluster; task: string },
): Record<string, unknown> {
  const odd = () =>
    new Error(`cannot ${task}: ${placeOf(cluster.url)} does not answer as a Kubernetes cluster`);
  if (depthOf(body) > deepest) throw odd();
  let content: unknown;
  try {
    content = JSON.parse(body.toString("utf8"));
  } catch {
    throw odd();
  }
  if (typeof content !== "object" || content === null || Array.isArray(content)) throw odd();
  return content as Record<string, unknown>;
}

const quote = 0x22;
const backslash = 0x5c;

/** How deep a text of JSON nests. */
function depthOf(text: Buffer): number {
  let depth = 0;
  let most = 0;
  let isText = false;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (isText) {
      if (byte === backslash) at += 1;
      else if (byte === quote) isText = false;
    } else if (byte === quote) isText = true;
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > most) most = depth;
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
  }
  return most;
}
