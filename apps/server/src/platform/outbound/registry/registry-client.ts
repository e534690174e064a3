import { createHash } from "node:crypto";
import type { ImageReference } from "@mainstay/contract";
import { readChallenges } from "../http/challenges.ts";
import { type Exchange, exchange, type ExchangeOptions } from "../http/exchange.ts";
import { asList, asObject, readJson } from "../http/read-json.ts";
import { waitingMs, waitingTime } from "../http/waiting-time.ts";
import { Patience } from "../http/ask-patiently.ts";
import type { TlsOptions } from "../tls.ts";

/** A registry of images refused, or says what cannot be; the message is for people. */
export class RegistryRefusal extends Error {
  override name = "RegistryRefusal";
}

export interface RegistryOptions extends ExchangeOptions {
  login?: { username: string; password: string } | undefined;
  /** Over HTTP. */
  isInsecure?: boolean;
  tls?: TlsOptions;
}

/** What a registry keeps under a name, as it was sent. */
export interface Manifest {
  digest: string;
  mediaType: string;
  size: number;
  content: Record<string, unknown>;
}

export interface RegistryClient {
  manifest(reference: string): Promise<Manifest>;
  /** Whether it is given out, and how many bytes it has where the registry says so. */
  blob(digest: string): Promise<{ size?: number }>;
  /** Tokens that were fetched on the way. */
  issued: readonly string[];
}

const mostManifest = 4 * 1024 * 1024;
const mostToken = 256 * 1024;
const mostTries = 4;
/** Of a check's time, what is waited where a registry asks for it. */
const longestWaitMs = 30_000;

/** Lists for several platforms first: what a name means is then told whole. */
const manifestTypes = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");

const isOfThisMachine = (registry: string) =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/.test(registry);

function baseOf({ registry }: ImageReference, isInsecure: boolean | undefined): URL {
  // Docker Hub's API has an address of its own.
  const place = registry === "docker.io" ? "registry-1.docker.io" : registry;
  const scheme = isInsecure || isOfThisMachine(registry) ? "http" : "https";
  return new URL(`${scheme}://${place}`);
}

/** What a registry says of itself in an error. */
function reasonIn({ body }: Exchange): string {
  const [first] = asList(asObject(readJson(body.toString("utf8"))).errors);
  const { code, message } = asObject(first);
  return [code, message]
    .filter((text): text is string => typeof text === "string" && text !== "")
    .join(": ")
    .slice(0, 400);
}

function refusal(
  answer: Exchange,
  { place, task, hasLogin }: { place: string; task: string; hasLogin: boolean },
) {
  const { code, headers } = answer;
  const wait = waitingTime(headers);
  const meaning: Readonly<Record<number, string>> = {
    401: hasLogin ? "it did not accept the credentials" : "it wants credentials, or there is none",
    403: "these credentials may not",
    404: "there is none",
    429: `it gets too many requests${wait === undefined ? "" : ` and asks to wait ${wait}`}`,
  };
  const said = reasonIn(answer);
  const why = meaning[code] === undefined ? "" : ` (${meaning[code]})`;
  return new RegistryRefusal(
    `cannot ${task}: ${place} answered ${code}${why}${said ? `: ${said}` : ""}`,
  );
}

const digestOf = (body: Buffer, algorithm = "sha256") =>
  `${algorithm}:${createHash(algorithm).update(body).digest("hex")}`;

/** Speaks the distribution API of OCI with one repository, to read from it. */
export function openRegistry(
  image: ImageReference,
  { login, isInsecure, tls, ...options }: RegistryOptions,
): RegistryClient {
  const base = baseOf(image, isInsecure);
  const place = image.registry;
  const hasLogin = login !== undefined;
  const issued: string[] = [];
  const patience = new Patience(longestWaitMs);
  const basic = login && { kind: "basic" as const, ...login };
  let auth: { kind: "bearer"; token: string } | typeof basic;

  /** Fetches a token where a registry sends for one. Whom it sends to is its own affair; a password goes nowhere in the clear that it would not go anyway. */
  async function signIn(answer: Exchange): Promise<boolean> {
    const offers = readChallenges([answer.headers["www-authenticate"] ?? ""]);
    const bearer = offers.find(({ scheme }) => scheme === "bearer");
    if (!bearer) {
      if (!basic || auth !== undefined || !offers.some(({ scheme }) => scheme === "basic"))
        return false;
      auth = basic;
      return true;
    }
    const {
      realm = "",
      service,
      scope = `repository:${image.repository}:pull`,
    } = bearer.parameters;
    if (!URL.canParse(realm) || !/^https?:$/.test(new URL(realm).protocol))
      throw new RegistryRefusal(
        `${place} sends for a token to "${realm.slice(0, 200)}", which is no address`,
      );
    const url = new URL(realm);
    if (url.protocol === "http:" && base.protocol === "https:")
      throw new RegistryRefusal(`${place} sends for a token to an address without TLS`);
    if (service !== undefined) url.searchParams.set("service", service);
    url.searchParams.set("scope", scope);
    const given = await patiently({ url, mostBody: mostToken, ...(basic && { auth: basic }) });
    if (given.code !== 200)
      throw refusal(given, { place: url.host, task: "get a token", hasLogin });
    const { token, access_token: other } = asObject(readJson(given.body.toString("utf8")));
    const found = token ?? other;
    if (typeof found !== "string" || found === "")
      throw new RegistryRefusal(`${url.host} gave no token`);
    issued.push(found);
    auth = { kind: "bearer", token: found };
    return true;
  }

  /** As often as it takes while it is busy. */
  async function patiently(request: Parameters<typeof exchange>[0]): Promise<Exchange> {
    for (let tried = 1; ; tried += 1) {
      const answer = await exchange({ ...request, ...(tls && { tls }) }, options);
      const isBusy = answer.code === 429 || answer.code === 503;
      if (!isBusy || tried >= mostTries) return answer;
      if (
        !(await patience.wait(waitingMs(answer.headers) ?? 250 * 4 ** (tried - 1), options.signal))
      )
        return answer;
    }
  }

  async function ask(path: string, task: string, more: { method?: string; accept?: string } = {}) {
    const url = new URL(`/v2/${image.repository}/${path}`, base);
    const send = () =>
      patiently({
        url,
        method: more.method ?? "GET",
        mostBody: mostManifest,
        ...(more.accept && { headers: { accept: more.accept } }),
        ...(auth && { auth }),
      });
    let answer = await send();
    if (answer.code === 401 && (await signIn(answer))) answer = await send();
    if (answer.code !== 200) throw refusal(answer, { place, task, hasLogin });
    return answer;
  }

  return {
    issued,
    async manifest(reference) {
      const task = `get the image ${image.repository}${reference.includes(":") ? "@" : ":"}${reference}`;
      const answer = await ask(`manifests/${reference}`, task, { accept: manifestTypes });
      const { body, headers, isCut } = answer;
      if (isCut)
        throw new RegistryRefusal(
          `cannot ${task}: its manifest is longer than ${body.length} bytes`,
        );
      const content = asObject(readJson(body.toString("utf8")));
      const wanted = reference.includes(":") ? reference : headers["docker-content-digest"];
      const algorithm = wanted?.startsWith("sha512:") ? "sha512" : "sha256";
      const digest = digestOf(body, algorithm);
      if (wanted !== undefined && wanted !== digest)
        throw new RegistryRefusal(
          `cannot ${task}: ${place} sent something else than ${wanted}: its digest is ${digest}`,
        );
      const named = content.mediaType ?? headers["content-type"]?.split(";")[0]?.trim();
      return {
        digest,
        mediaType: typeof named === "string" ? named : "",
        size: body.length,
        content,
      };
    },
    async blob(digest) {
      const task = `get the part ${digest.slice(0, 19)} of ${image.repository}`;
      const { headers } = await ask(`blobs/${digest}`, task, { method: "HEAD" });
      const size = Number(headers["content-length"] ?? Number.NaN);
      return Number.isSafeInteger(size) ? { size } : {};
    },
  };
}
