import { createHash, createHmac } from "node:crypto";

/** Who signs, for requests to AWS. */
export interface AwsCredentials {
  accessKey: string;
  secretKey: string;
  /** Of credentials that are lent for a while. */
  sessionToken?: string;
}

export interface AwsRequest {
  method: string;
  url: URL;
  /** Every one is signed; names in lower case. */
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  credentials: AwsCredentials;
  region: string;
  service: string;
  now: Date;
}

/** Percent-encodes everything but what AWS leaves as it is. */
const encoded = (text: string) =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex");
const hmac = (key: string | Buffer, text: string) =>
  createHmac("sha256", key).update(text).digest();

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** S3 signs a path as it is sent, every other service encodes it once more and takes empty parts out. */
function canonicalPath(path: string, service: string): string {
  const parts = path.split("/");
  if (service === "s3") return parts.map((part) => encoded(decoded(part))).join("/") || "/";
  const filled = parts.filter((part) => part !== "");
  const tail = filled.length > 0 && path.endsWith("/") ? "/" : "";
  return `/${filled.map(encoded).join("/")}${tail}`;
}

/** The query in the one form that is signed, which is also the one that must be sent. */
export const canonicalQuery = (url: URL): string =>
  [...url.searchParams]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .toSorted((a, b) => {
      const [one, other] = [a, b].map((pair) => pair.replace("=", "\0"));
      return one! < other! ? -1 : one! > other! ? 1 : 0;
    })
    .join("&");

export const hashPayload = (body: string | Uint8Array | undefined): string => sha256(body ?? "");

/** As AWS writes times: 20150830T123600Z. */
export const awsTime = (now: Date): string => now.toISOString().replaceAll(/[-:]|\.\d+/g, "");

/** The value of `Authorization` by Signature Version 4. */
export function signAws(request: AwsRequest): string {
  const { method, url, headers, body, credentials, region, service, now } = request;
  const names = Object.keys(headers).toSorted();
  const signed = names.join(";");
  const canonical = [
    method,
    canonicalPath(url.pathname, service),
    canonicalQuery(url),
    ...names.map((name) => `${name}:${(headers[name] ?? "").trim().replaceAll(/\s+/g, " ")}`),
    "",
    signed,
    hashPayload(body),
  ].join("\n");
  const time = awsTime(now);
  const day = time.slice(0, 8);
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const key = [day, region, service, "aws4_request"].reduce<string | Buffer>(
    hmac,
    `AWS4${credentials.secretKey}`,
  );
  const signature = hmac(key, text).toString("hex");
  return `AWS4-HMAC-SHA256 Credential=${credentials.accessKey}/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
}

/** The headers that sign a request: with time, hash of the body, and the session's token. */
export function awsHeaders(request: AwsRequest): Record<string, string> {
  const { headers, body, credentials, now, url } = request;
  const added = {
    "x-amz-date": awsTime(now),
    "x-amz-content-sha256": hashPayload(body),
    ...(credentials.sessionToken && { "x-amz-security-token": credentials.sessionToken }),
  };
  const kept = Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => name === "content-type" || name.startsWith("x-amz-"),
    ),
  );
  const signed = { ...kept, host: headers.host ?? url.host, ...added };
  return { ...added, authorization: signAws({ ...request, headers: signed }) };
}
