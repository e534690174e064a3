import { randomBytes } from "node:crypto";
import { childOf, readXml, textIn, WrongXml, type XmlElement } from "#platform/xml/read-xml.ts";
import { createHider } from "../../sealing/hide-secrets.ts";
import type { Connector } from "../connector.ts";
import { isHttp, placeOf } from "../http/address.ts";
import { exchange } from "../http/exchange.ts";
import { readJson } from "../http/read-json.ts";
import type { AwsCredentials } from "../http/sign-aws.ts";
import { pause } from "./pause.ts";

/** Who asks Amazon, or a service that speaks like it. */
export interface AwsAccess {
  credentials: AwsCredentials;
  region: string;
  /** Where the service is not Amazon's own. */
  endpoint?: string;
  skipTLSVerify?: boolean;
  /** ARN of a role that is taken on first. */
  assumeRole?: string;
}

/** A service: the name it is signed for, and the beginning of its host's, which is mostly the same. */
export interface AwsService {
  name: string;
  host?: string;
  /** One for all regions of a partition. */
  isGlobal?: boolean;
  /** Of the JSON protocol; 1.1 when absent. */
  jsonVersion?: "1.0" | "1.1";
}

/** Where something is, for services that are asked by path. */
export interface AwsPath {
  /** GET when absent. */
  method?: string;
  /** With a slash in front, its parts encoded. */
  path: string;
  query?: Readonly<Record<string, string>>;
  body?: string;
}

export interface AwsClient {
  /** In the JSON protocol, whose action stands in a header. @throws AwsRefusal */
  json(service: AwsService, target: string, input: object): Promise<Record<string, unknown>>;
  /** In the query protocol, which answers in XML. @throws AwsRefusal */
  query(
    service: AwsService,
    version: string,
    parameters: Readonly<Record<string, string>>,
  ): Promise<XmlElement>;
  /** By path, of services that answer in JSON. @throws AwsRefusal */
  restJson(service: AwsService, asked: AwsPath): Promise<Record<string, unknown>>;
  /** By path, of services that answer in XML. @throws AwsRefusal */
  restXml(service: AwsService, asked: AwsPath): Promise<XmlElement>;
}

/** Who asks, in any region. */
export interface AwsSession {
  in(region: string): AwsClient;
}

/** What a service answered that it will not do. */
export class AwsRefusal extends Error {
  /** For example AccessDeniedException. */
  readonly code: string;
  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

const usualBody = 8 * 1024 * 1024;
/** Of what a service says, in characters. */
const longestText = 500;
const mostTries = 4;
/** Of somebody who reads much and has time. */
const patientTries = 8;
const firstPauseMs = 200;
const longestPauseMs = 10_000;
const sessionSeconds = 900;
/** When a role is taken on again, before its credentials end. */
const renewMs = sessionSeconds * 800;

const throttling = /Throttl|TooManyRequests|RequestLimitExceeded|SlowDown|BandwidthLimit/i;

/** Where services that are one for a whole partition are, by what the names of its regions begin with. */
const partitions: readonly {
  prefix: string;
  end: string;
  /** Signed for this region. */
  home: string;
  /** Hosts that carry the name of the region after all. */
  named?: string;
}[] = [
  { prefix: "cn-", end: "amazonaws.com.cn", home: "cn-north-1", named: "cn-north-1" },
  { prefix: "us-gov-", end: "amazonaws.com", home: "us-gov-west-1", named: "us-gov" },
  { prefix: "", end: "amazonaws.com", home: "us-east-1" },
];
const partitionOf = (region: string) => partitions.find(({ prefix }) => region.startsWith(prefix))!;

function hostOf({ name, host = name, isGlobal }: AwsService, region: string): string {
  const { end, named } = partitionOf(region);
  if (!isGlobal) return `${host}.${region}.${end}`;
  // Route 53 of China is the one that has no region in its name.
  return [host, name === "route53" && region.startsWith("cn-") ? undefined : named, end]
    .filter((part) => part !== undefined)
    .join(".");
}

/** The region that a request is signed for. */
function signedFor({ name, isGlobal }: AwsService, region: string): string {
  if (!isGlobal) return region;
  return name === "route53" && region.startsWith("cn-")
    ? "cn-northwest-1"
    : partitionOf(region).home;
}

/** What is said for people of the codes that they can do something about. */
const hints: [pattern: RegExp, hint: string][] = [
  [/^Expired|ExpiredToken/, "the session token has expired"],
  [
    /^(UnrecognizedClient|InvalidClientTokenId|InvalidAccessKeyId|AuthFailure)/,
    "the access key is not known",
  ],
  [/^(SignatureDoesNotMatch|InvalidSignature)/, "the secret key does not fit the access key"],
  [/^(AccessDenied|UnauthorizedOperation|NotAuthorized)/, "not allowed"],
  [/^RequestExpired|RequestTimeTooSkewed/, "the clock of this machine is wrong"],
  [throttling, "asked too often"],
];

function refusal(place: string, code: string, text: string): AwsRefusal {
  const hint = hints.find(([pattern]) => pattern.test(code))?.[1];
  const said = text.slice(0, longestText);
  return new AwsRefusal(
    `${place} refused: ${[hint, code, said].filter((part) => part !== undefined && part !== "").join(": ")}`,
    code,
  );
}

interface Options {
  signal: AbortSignal;
  connector: Connector;
  /** All that is asked only reads: it is asked again, and longer, whatever goes wrong on the way. */
  isPatient?: boolean;
  /** Bytes of one answer that are read at most; 8 MiB when absent. */
  mostBody?: number;
}

interface Sent {
  code: number;
  text: string;
  place: string;
  /** What a header calls the mistake. */
  errorType: string;
}

export async function awsClient(access: AwsAccess, options: Options): Promise<AwsClient> {
  return (await awsSession(access, options)).in(access.region);
}

/** A role is taken on at once, and again before what it lent ends. @throws AwsRefusal when it may not be */
export async function awsSession(access: AwsAccess, options: Options): Promise<AwsSession> {
  const { assumeRole, ...own } = access;
  let lent: { credentials: Promise<AwsCredentials>; until: number } | undefined;
  const credentials = (): Promise<AwsCredentials> => {
    if (!assumeRole) return Promise.resolve(own.credentials);
    if (lent && lent.until >= performance.now()) return lent.credentials;
    const taken = {
      credentials: roleCredentials(access, options),
      until: performance.now() + renewMs,
    };
    lent = taken;
    // What failed is tried again by whoever asks next.
    taken.credentials.catch(() => {
      if (lent === taken) lent = undefined;
    });
    return taken.credentials;
  };
  await credentials();
  return { in: (region) => clientOf({ ...own, region }, options, credentials) };
}

/** Credentials that are lent for a while to who takes on the role; one's own where there is none. */
export async function roleCredentials(
  { assumeRole, ...own }: AwsAccess,
  options: Options,
): Promise<AwsCredentials> {
  if (!assumeRole) return own.credentials;
  return takeRole(
    clientOf(own, options, () => Promise.resolve(own.credentials)),
    assumeRole,
  );
}

async function takeRole(client: AwsClient, role: string): Promise<AwsCredentials> {
  const answer = await client.query({ name: "sts" }, "2011-06-15", {
    Action: "AssumeRole",
    RoleArn: role,
    RoleSessionName: `mainstay-${randomBytes(4).toString("hex")}`,
    DurationSeconds: String(sessionSeconds),
  });
  const given = childOf(childOf(answer, "AssumeRoleResult"), "Credentials");
  const accessKey = textIn(given, "AccessKeyId");
  const secretKey = textIn(given, "SecretAccessKey");
  const sessionToken = textIn(given, "SessionToken");
  if (!accessKey || !secretKey || !sessionToken)
    throw new Error(`the answer to a request for the role ${role} holds no credentials`);
  return { accessKey, secretKey, sessionToken };
}

function addressOf(
  { endpoint, region }: AwsAccess,
  service: AwsService,
  { path, query = {} }: Pick<AwsPath, "path" | "query">,
): URL {
  const base = endpoint || `https://${hostOf(service, region)}/`;
  const url = URL.canParse(base) ? new URL(base) : undefined;
  if (!url || !isHttp(url)) throw new Error("the endpoint is not an address of HTTP");
  if (path !== "/") url.pathname = `${url.pathname.replace(/\/$/, "")}${path}`;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

/** Of others only their words count: these say that the service itself has failed. */
const brokenDown = new Set([500, 502, 503, 504]);

function clientOf(
  access: AwsAccess,
  { signal, connector, isPatient = false, mostBody = usualBody }: Options,
  credentialsOf: () => Promise<AwsCredentials>,
): AwsClient {
  const most = isPatient ? patientTries : mostTries;

  /** Sends a request, and again when it came too often; what is answered then counts. */
  async function send(
    service: AwsService,
    { path = "/", query, ...request }: Partial<AwsPath> & { headers?: Record<string, string> },
    codeOf: (sent: Sent) => string | undefined,
  ): Promise<Sent> {
    const url = addressOf(access, service, { path, ...(query && { query }) });
    const place = placeOf(url);
    for (let tries = 1; ; tries += 1) {
      const isLast = tries >= mostTries;
      const sent = await sendOnce().catch((error: unknown) => {
        if (!isPatient || isLast || signal.aborted || error instanceof AwsRefusal) throw error;
      });
      if (sent !== undefined) {
        const isThrottled =
          sent.code === 429 || (sent.code >= 400 && throttling.test(codeOf(sent) ?? ""));
        const isBroken = isPatient && brokenDown.has(sent.code) && !isLast;
        if (isThrottled ? tries === most : !isBroken) return sent;
      }
      await pause(Math.min(firstPauseMs * 2 ** (tries - 1), longestPauseMs), signal);
    }

    async function sendOnce(): Promise<Sent> {
      const credentials = await credentialsOf();
      const answer = await exchange(
        {
          url,
          method: "POST",
          ...request,
          auth: {
            kind: "awsSigV4",
            credentials,
            region: signedFor(service, access.region),
            service: service.name,
          },
          tls: { insecureSkipVerify: access.skipTLSVerify },
          maxRedirects: 0,
          mostBody,
        },
        { signal, connector },
      );
      if (answer.isCut)
        throw new AwsRefusal(`${place} answered more than ${mostBody} bytes`, "TooLong");
      const errorType = (answer.headers["x-amzn-errortype"] ?? "").replace(/:.*$/, "");
      const { secretKey, sessionToken = "" } = credentials;
      const whole = answer.body.toString("utf8");
      // What is refused is shown, and services repeat in it what they were sent.
      const text =
        answer.code === 200
          ? whole
          : (createHider([secretKey, sessionToken])?.message(whole) ?? whole);
      return { code: answer.code, text, place, errorType };
    }
  }

  const jsonOf = (sent: Sent) => {
    if (sent.code !== 200) throw refused(sent, jsonError(sent));
    const body = asObject(sent.text);
    if (!body) throw new Error(`${sent.place} does not answer in JSON, or nests too deeply`);
    return body;
  };
  const xmlOf = (sent: Sent) => {
    if (sent.code !== 200) throw refused(sent, xmlError(sent));
    try {
      return readXml(sent.text);
    } catch (error) {
      if (!(error instanceof WrongXml)) throw error;
      throw new Error(`${sent.place} does not answer in XML: ${error.message}`, { cause: error });
    }
  };

  return {
    async json(service, target, input) {
      const headers = {
        "content-type": `application/x-amz-json-${service.jsonVersion ?? "1.1"}`,
        "x-amz-target": target,
      };
      const request = { headers, body: JSON.stringify(input) };
      return jsonOf(await send(service, request, (sent) => jsonError(sent)?.code));
    },
    async query(service, version, parameters) {
      const headers = { "content-type": "application/x-www-form-urlencoded; charset=utf-8" };
      const body = new URLSearchParams({ ...parameters, Version: version }).toString();
      return xmlOf(await send(service, { headers, body }, (sent) => xmlError(sent)?.code));
    },
    async restJson(service, { method = "GET", ...asked }) {
      const request = { ...asked, method, headers: { "content-type": "application/json" } };
      return jsonOf(await send(service, request, (sent) => jsonError(sent)?.code));
    },
    async restXml(service, { method = "GET", ...asked }) {
      const request = {
        ...asked,
        method,
        ...(asked.body !== undefined && { headers: { "content-type": "application/xml" } }),
      };
      return xmlOf(await send(service, request, (sent) => xmlError(sent)?.code));
    },
  };
}

interface Refused {
  code: string;
  text: string;
}

const refused = ({ place, code }: Sent, error: Refused | undefined) =>
  error
    ? refusal(place, error.code, error.text)
    : new Error(`${place} answered ${code}, which no service of Amazon's would without a reason`);

function asObject(text: string): Record<string, unknown> | undefined {
  const value = readJson(text);
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

const wordOf = (value: unknown) => (typeof value === "string" ? value : "");

function jsonError({ text, errorType }: Sent): Refused | undefined {
  const body = asObject(text);
  // com.amazonaws.config#ThrottlingException
  const code = (wordOf(body?.__type).replace(/^.*#/, "") || errorType).slice(0, 100);
  return code === "" ? undefined : { code, text: wordOf(body?.message ?? body?.Message) };
}

function xmlError({ text }: Sent): Refused | undefined {
  try {
    const root = readXml(text);
    // <ErrorResponse><Error> of most services, <Response><Errors><Error> of EC2, <Error> of S3.
    const error =
      root.name === "Error"
        ? root
        : (childOf(root, "Error") ?? childOf(childOf(root, "Errors"), "Error"));
    const code = textIn(error, "Code");
    return code ? { code: code.slice(0, 100), text: textIn(error, "Message") ?? "" } : undefined;
  } catch {
    return undefined;
  }
}
