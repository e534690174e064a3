import { roleCredentials } from "../aws/aws-client.ts";
import { exchange, type Exchange, type ExchangeOptions } from "../http/exchange.ts";
import { placeOf } from "../http/address.ts";
import { readObjects, type S3Object, textIn } from "./read-objects.ts";

/** Object storage that speaks S3, spoken by hand: five requests, signed where there are credentials. */

export interface S3Place {
  bucket: string;
  /** us-east-1 when absent; an answer of Amazon's that names another one is followed. */
  region?: string | undefined;
  /** Amazon's own when absent. */
  endpoint?: string | undefined;
  /** The bucket in the path and not in the host; so it is at every endpoint of one's own unless this is false. */
  usePathStyle?: boolean | undefined;
  accessKey?: string | undefined;
  secretKey?: string | undefined;
  sessionToken?: string | undefined;
  skipTLSVerify?: boolean | undefined;
  /** ARN of a role that is taken on first, at the same endpoint. */
  assumeRole?: string | undefined;
}

export interface S3Client {
  /** Where it is, for messages. */
  readonly place: string;
  /** All objects whose names begin so, page by page. */
  list(prefix: string): AsyncIterable<S3Object>;
  put(key: string, content: string): Promise<void>;
  get(key: string): Promise<Buffer>;
  /** A whole object; nothing when it holds more than `most` bytes. */
  read(key: string, most: number): Promise<Buffer | undefined>;
  remove(key: string): Promise<void>;
}

/** What the service refused; the message is fit for a result. */
export class S3Refusal extends Error {
  readonly code: string;
  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

const encoded = (text: string) =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Objects of a listing that are asked for at once. */
const pageSize = 1000;
const mostAnswer = 8 * 1024 * 1024;
/** Bytes of an object that are read. */
const mostContent = 65_536;

const amazon = (region: string) =>
  `https://s3.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;

const withScheme = (text: string) => (text.includes("://") ? text : `https://${text}`);

function addressOf({ bucket, endpoint, usePathStyle }: S3Place, region: string): URL {
  const text = endpoint || amazon(region);
  const full = withScheme(text);
  if (!URL.canParse(full))
    throw new Error(`"${text.slice(0, 200)}" is no address of object storage`);
  const url = new URL(full);
  const isInPath = usePathStyle ?? (Boolean(endpoint) || bucket.includes("."));
  if (isInPath) url.pathname = `${url.pathname.replace(/\/$/, "")}/${encoded(bucket)}`;
  else url.hostname = `${bucket}.${url.hostname}`;
  return url;
}

interface Asked {
  method: string;
  key?: string;
  query?: Record<string, string>;
  body?: string;
  most?: number;
}

const signInCodes = new Set([
  "AccessDenied",
  "InvalidAccessKeyId",
  "SignatureDoesNotMatch",
  "ExpiredToken",
  "InvalidToken",
  "InvalidSecurity",
]);

const defaultRegion = "us-east-1";

/** @throws AwsRefusal when the role may not be taken on */
export async function s3Client(where: S3Place, options: ExchangeOptions): Promise<S3Client> {
  const { assumeRole, accessKey, secretKey, sessionToken, region, endpoint, skipTLSVerify } = where;
  if (!assumeRole) return clientOf(where, options);
  if (!accessKey || !secretKey)
    throw new Error("a role is taken on with accessKey and secretKey, and they are missing");
  const credentials = await roleCredentials(
    {
      credentials: { accessKey, secretKey, ...(sessionToken && { sessionToken }) },
      region: region || defaultRegion,
      assumeRole,
      ...(endpoint && { endpoint: withScheme(endpoint) }),
      ...(skipTLSVerify && { skipTLSVerify }),
    },
    options,
  );
  return clientOf({ ...where, ...credentials }, options);
}

function clientOf(where: S3Place, options: ExchangeOptions): S3Client {
  let region = where.region || defaultRegion;
  const { bucket, accessKey, secretKey, sessionToken } = where;
  const base = () => addressOf(where, region);
  const place = placeOf(base());

  const ask = async ({ method, key, query = {}, body, most }: Asked): Promise<Exchange> => {
    const send = () => {
      const url = base();
      const path = url.pathname.replace(/\/$/, "");
      url.pathname =
        key === undefined ? `${path}/` : `${path}/${key.split("/").map(encoded).join("/")}`;
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      return exchange(
        {
          url,
          method,
          maxRedirects: 0,
          ...(body !== undefined && { body }),
          mostBody: most ?? mostAnswer,
          ...(where.skipTLSVerify && { tls: { insecureSkipVerify: true } }),
          ...(accessKey &&
            secretKey && {
              auth: {
                kind: "awsSigV4",
                credentials: { accessKey, secretKey, ...(sessionToken && { sessionToken }) },
                region,
                service: "s3",
              },
            }),
        },
        options,
      );
    };
    const first = await send();
    const told = first.headers["x-amz-bucket-region"];
    if (first.code < 300 || !told || told === region || where.endpoint) return first;
    region = told;
    return send();
  };

  const refused = ({ code, body }: Exchange, what: string): S3Refusal => {
    const text = body.toString("utf8");
    const told = textIn(text, "Code")?.slice(0, 100) ?? String(code);
    const say = (sentence: string) => new S3Refusal(sentence, told);
    if (told === "NoSuchBucket") return say(`there is no bucket "${bucket}" at ${place}`);
    if (signInCodes.has(told) || code === 401 || code === 403)
      return say(
        accessKey
          ? `${place} did not let the credentials ${what} (${told})`
          : `${place} lets nobody without credentials ${what} (${told})`,
      );
    if (code === 503 || code === 429) return say(`${place} asks to slow down (${told})`);
    if (told === "NoSuchKey") return say(`the object is not there (${told})`);
    return say(`${place} would not ${what}: it answered ${code} (${told})`);
  };

  const expect = async (asked: Asked, what: string): Promise<Exchange> => {
    const answer = await ask(asked);
    if (answer.code < 200 || answer.code > 299) throw refused(answer, what);
    return answer;
  };

  return {
    place: `${bucket} at ${place}`,
    async *list(prefix) {
      let token: string | undefined;
      const seen = new Set<string>();
      do {
        const answer = await expect(
          {
            method: "GET",
            query: {
              "list-type": "2",
              "max-keys": String(pageSize),
              "encoding-type": "url",
              ...(prefix !== "" && { prefix }),
              ...(token !== undefined && { "continuation-token": token }),
            },
          },
          `list the bucket "${bucket}"`,
        );
        if (answer.isCut) throw new Error(`a page of the listing from ${place} is too large`);
        const page = readObjects(answer.body.toString("utf8"));
        if (!page) throw new Error(`${place} does not answer like object storage`);
        yield* page.objects;
        token = page.next;
        // A service that gives the same page again would never come to an end.
        if (token !== undefined && seen.has(token))
          throw new Error(`${place} gives the same page of its listing again`);
        if (token !== undefined) seen.add(token);
      } while (token !== undefined);
    },
    async put(key, content) {
      await expect({ method: "PUT", key, body: content }, `write to the bucket "${bucket}"`);
    },
    async get(key) {
      const what = `read from the bucket "${bucket}"`;
      return (await expect({ method: "GET", key, most: mostContent }, what)).body;
    },
    async read(key, most) {
      const what = `read from the bucket "${bucket}"`;
      // What a refusal says takes some room, too.
      const asked = { method: "GET", key, most: Math.max(most, mostContent) };
      const { body, isCut } = await expect(asked, what);
      return isCut || body.length > most ? undefined : body;
    },
    async remove(key) {
      await expect({ method: "DELETE", key }, `delete from the bucket "${bucket}"`);
    },
  };
}
