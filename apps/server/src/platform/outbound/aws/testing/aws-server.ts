import { createHash, createHmac, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Listening, listenHttp } from "@mainstay/testkit/servers/index.ts";

/**
 * A stand-in for services of Amazon, written after their public documentation: it verifies Signature Version 4 by itself
 * and answers in the JSON 1.1 and the query protocol, refusals included, in the words of the real ones.
 */
export interface AwsServer extends Listening {
  url: string;
  /** Every request that was signed well: its action and what it asked. */
  readonly asked: AwsAsked[];
  /** Whose requests it knows; more may come. */
  readonly keys: AwsBehaviour["keys"][number][];
}

export interface AwsAsked {
  service: string;
  region: string;
  action: string;
  /** The access key that it was signed with. */
  who: string;
  /** Of a request by path, its query. */
  parameters: Record<string, unknown>;
  /** Of a request by path: `GET /clusters`. */
  path?: string;
}

export interface AwsBehaviour {
  keys: readonly { accessKey: string; secretKey: string; sessionToken?: string }[];
  /** An answer: an object in JSON, a text in XML; `refuse` makes a refusal, `broken` ends in the middle. */
  answer(asked: AwsAsked): object | string;
  /** So many requests are answered with a throttling first. */
  throttled?: number;
}

class Refusal {
  readonly code: string;
  readonly message: string;
  readonly status: number;
  constructor(code: string, message: string, status: number) {
    this.code = code;
    this.message = message;
    this.status = status;
  }
}
export const refuse = (code: string, message: string, status = 400): Refusal =>
  new Refusal(code, message, status);

/** An answer that ends in the middle: the connection is gone. */
export const broken = { broken: true } as const;

const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest("hex");
const hmac = (key: string | Buffer, text: string) =>
  createHmac("sha256", key).update(text).digest();

const form =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

/** Who signed; a refusal when nobody did. */
function verify(
  request: IncomingMessage,
  body: Buffer,
  { keys }: AwsBehaviour,
): { who: string; region: string; service: string } | Refusal {
  const match = form.exec(request.headers.authorization ?? "");
  if (!match) return refuse("MissingAuthenticationToken", "Missing Authentication Token", 403);
  const [, who = "", day = "", region = "", service = "", names = "", signature] = match;
  const key = keys.find(({ accessKey }) => accessKey === who);
  const unknown = "The security token included in the request is invalid.";
  if (!key) return refuse("UnrecognizedClientException", unknown);
  const token = request.headers["x-amz-security-token"];
  if (key.sessionToken !== token) return refuse("InvalidClientTokenId", unknown, 403);
  const time = String(request.headers["x-amz-date"]);
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(time)?.slice(1) ?? [];
  const [year, month, date, hour, minute, second] = parts.map(Number);
  const at = Date.UTC(year!, month! - 1, date, hour, minute, second);
  if (!time.startsWith(day) || !(Math.abs(Date.now() - at) < 15 * 60_000))
    return refuse("SignatureDoesNotMatch", "Signature expired", 403);
  const signed = names.split(";");
  for (const needed of ["host", "x-amz-date", ...(token ? ["x-amz-security-token"] : [])])
    if (!signed.includes(needed))
      return refuse("SignatureDoesNotMatch", `${needed} must be signed`, 403);
  const [path = "/", query = ""] = request.url!.split("?");
  const canonical = [
    request.method,
    // Every service but S3 encodes what it is sent once more.
    service === "s3" ? path : path.split("/").map(encodeURIComponent).join("/"),
    query,
    ...signed.map((name) => `${name}:${String(request.headers[name]).trim()}`),
    "",
    names,
    sha256(body),
  ].join("\n");
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  let signing: Buffer = Buffer.from(`AWS4${key.secretKey}`);
  for (const part of [day, region, service, "aws4_request"]) signing = hmac(signing, part);
  if (hmac(signing, text).toString("hex") === signature) return { who, region, service };
  return refuse(
    "SignatureDoesNotMatch",
    "The request signature we calculated does not match the signature you provided.",
    403,
  );
}

type Protocol = "json" | "query" | "ec2" | "restJson" | "restXml";

function sendRefusal(response: ServerResponse, refusal: Refusal, protocol: Protocol): void {
  const { status, code, message } = refusal;
  const id = randomBytes(8).toString("hex");
  if (protocol === "json") {
    response
      .writeHead(status, { "content-type": "application/x-amz-json-1.1" })
      .end(JSON.stringify({ __type: code, message }));
    return;
  }
  if (protocol === "restJson") {
    const headers = { "content-type": "application/json", "x-amzn-errortype": `${code}:http://x/` };
    response.writeHead(status, headers).end(JSON.stringify({ message }));
    return;
  }
  const error = `<Code>${code}</Code><Message>${message}</Message>`;
  if (protocol === "restXml") {
    const text = `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${error}<RequestId>${id}</RequestId></Error>`;
    response.writeHead(status, { "content-type": "application/xml" }).end(text);
    return;
  }
  const text =
    protocol === "ec2"
      ? `<?xml version="1.0" encoding="UTF-8"?>\n<Response><Errors><Error>${error}</Error></Errors><RequestID>${id}</RequestID></Response>`
      : `<ErrorResponse xmlns="http://x.amazonaws.com/"><Error><Type>Sender</Type>${error}</Error><RequestId>${id}</RequestId></ErrorResponse>`;
  response.writeHead(status, { "content-type": "text/xml" }).end(text);
}

export async function serveAws(given: AwsBehaviour): Promise<AwsServer> {
  const keys = [...given.keys];
  const behaviour = { ...given, keys };
  const asked: AwsAsked[] = [];
  let throttled = behaviour.throttled ?? 0;

  function respond(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
    const target = request.headers["x-amz-target"];
    const signed = verify(request, body, behaviour);
    const signedFor =
      /\/([\w-]+)\/aws4_request/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    const isEc2 = signedFor === "ec2";
    const isForm = String(request.headers["content-type"]).includes("form-urlencoded");
    const url = new URL(request.url!, "http://x");
    const byPath = !target && !isForm;
    const protocol: Protocol = target
      ? "json"
      : isForm
        ? isEc2
          ? "ec2"
          : "query"
        : ["s3", "route53"].includes(signedFor)
          ? "restXml"
          : "restJson";
    if (signed instanceof Refusal) return sendRefusal(response, signed, protocol);
    if (throttled > 0) {
      throttled -= 1;
      const code = isEc2 ? "RequestLimitExceeded" : "ThrottlingException";
      return sendRefusal(response, refuse(code, "Rate exceeded"), protocol);
    }
    const parameters = target
      ? (JSON.parse(body.toString()) as Record<string, unknown>)
      : Object.fromEntries(byPath ? url.searchParams : new URLSearchParams(body.toString()));
    const path = `${request.method} ${decodeURIComponent(url.pathname)}`;
    const action = target
      ? String(target).replace(/^.*\./, "")
      : byPath
        ? path
        : String(parameters.Action);
    const one = { ...signed, action, parameters, ...(byPath && { path }) };
    asked.push(one);
    const answer = behaviour.answer(one);
    if (answer instanceof Refusal) return sendRefusal(response, answer, protocol);
    if (answer === broken) {
      response.writeHead(200, { "content-type": "text/xml", "content-length": "1000" });
      response.write("<?xml version=", () => response.destroy());
      return undefined;
    }
    const isText = typeof answer === "string";
    response
      .writeHead(200, { "content-type": isText ? "text/xml" : "application/x-amz-json-1.1" })
      .end(isText ? answer : JSON.stringify(answer));
    return undefined;
  }

  const server = await listenHttp((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => respond(request, response, Buffer.concat(parts)));
  });
  return { ...server, url: `http://127.0.0.1:${server.port}`, asked, keys };
}
