import { randomBytes } from "node:crypto";
import { childOf, readXml, textIn, WrongXml, type XmlElement } from "#platform/xml/read-xml.ts";
import type { Connector } from "../connector.ts";
import { isHttp, placeOf } from "../http/address.ts";
import { exchange } from "../http/exchange.ts";
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

const mostBody = 8 * 1024 * 1024;
/** Of what a service says, in characters. */
const longestText = 500;
const mostTries = 4;
const firstPauseMs = 200;
const sessionSeconds = 900;

const throttling = /Throttl|TooManyRequests|RequestLimitExceeded|SlowDown|BandwidthLimit/i;

const hostOf = ({ name, host = name }: AwsService, region: string) =>
  `${host}.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;

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
}

interface Sent {
  code: number;
  text: string;
  place: string;
}

export async function awsClient(access: AwsAccess, options: Options): Promise<AwsClient> {
  const { assumeRole, ...own } = access;
  if (!assumeRole) return clientOf(own, options);
  return clientOf({ ...own, credentials: await roleCredentials(access, options) }, options);
}

/** Credentials that are lent for a while to who takes on the role; one's own where there is none. */
export async function roleCredentials(
  { assumeRole, ...own }: AwsAccess,
  options: Options,
): Promise<AwsCredentials> {
  return assumeRole ? takeRole(clientOf(own, options), assumeRole) : own.credentials;
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

function addressOf({ endpoint, region }: AwsAccess, service: AwsService): URL {
  if (!endpoint) return new URL(`https://${hostOf(service, region)}/`);
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (!url || !isHttp(url)) throw new Error("the endpoint is not an address of HTTP");
  return url;
}

function clientOf(access: AwsAccess, { signal, connector }: Options): AwsClient {
  /** Sends a request, and again when it came too often; what is answered then counts. */
  async function send(
    service: AwsService,
    request: { headers: Record<string, string>; body: string },
    codeOf: (sent: Sent) => string | undefined,
  ): Promise<Sent> {
    const url = addressOf(access, service);
    for (let tries = 1; ; tries += 1) {
      const { credentials, region } = access;
      const answer = await exchange(
        {
          url,
          method: "POST",
          ...request,
          auth: { kind: "awsSigV4", credentials, region, service: service.name },
          tls: { insecureSkipVerify: access.skipTLSVerify },
          maxRedirects: 0,
          mostBody,
        },
        { signal, connector },
      );
      const place = placeOf(url);
      if (answer.isCut) throw new Error(`${place} answered more than ${mostBody} bytes`);
      const sent = { code: answer.code, text: answer.body.toString("utf8"), place };
      const isThrottled =
        answer.code === 429 || (answer.code >= 400 && throttling.test(codeOf(sent) ?? ""));
      if (!isThrottled || tries === mostTries) return sent;
      await pause(firstPauseMs * 2 ** (tries - 1), signal);
    }
  }

  return {
    async json(service, target, input) {
      const headers = { "content-type": "application/x-amz-json-1.1", "x-amz-target": target };
      const request = { headers, body: JSON.stringify(input) };
      const sent = await send(service, request, ({ text }) => jsonError(text)?.code);
      if (sent.code !== 200) throw refused(sent, jsonError(sent.text));
      const body = asObject(sent.text);
      if (!body) throw new Error(`${sent.place} does not answer in JSON`);
      return body;
    },
    async query(service, version, parameters) {
      const headers = { "content-type": "application/x-www-form-urlencoded; charset=utf-8" };
      const body = new URLSearchParams({ ...parameters, Version: version }).toString();
      const sent = await send(service, { headers, body }, ({ text }) => xmlError(text)?.code);
      if (sent.code !== 200) throw refused(sent, xmlError(sent.text));
      try {
        return readXml(sent.text);
      } catch (error) {
        if (!(error instanceof WrongXml)) throw error;
        throw new Error(`${sent.place} does not answer in XML: ${error.message}`, { cause: error });
      }
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
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

const wordOf = (value: unknown) => (typeof value === "string" ? value : "");

function jsonError(text: string): Refused | undefined {
  const body = asObject(text);
  // com.amazonaws.config#ThrottlingException
  const code = wordOf(body?.__type).replace(/^.*#/, "").slice(0, 100);
  return code === "" ? undefined : { code, text: wordOf(body?.message ?? body?.Message) };
}

function xmlError(text: string): Refused | undefined {
  try {
    const root = readXml(text);
    // <ErrorResponse><Error> of most services, <Response><Errors><Error> of EC2.
    const error = childOf(root, "Error") ?? childOf(childOf(root, "Errors"), "Error");
    const code = textIn(error, "Code");
    return code ? { code: code.slice(0, 100), text: textIn(error, "Message") ?? "" } : undefined;
  } catch {
    return undefined;
  }
}
