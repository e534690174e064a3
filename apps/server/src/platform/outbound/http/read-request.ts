import type { TlsOptions } from "../tls.ts";
import { fillCredentials, isHttp, splitUserInfo } from "./address.ts";
import type { HttpAuth } from "./authorization.ts";

/** A value of a document, as it is run. */
interface Value {
  value?: string | undefined;
}

/** What a document says of how a server is reached over HTTP, as it is run; keys as documents spell them. */
export interface ConnectionFields {
  connection?: string | undefined;
  url?: string | undefined;
  username?: Value | undefined;
  password?: Value | undefined;
  ntlm?: boolean | undefined;
  ntlmv2?: boolean | undefined;
  digest?: boolean | undefined;
  bearer?: Value | undefined;
  oauth?: OAuthFields | undefined;
  awsSigV4?: AwsFields | undefined;
  tls?: TlsFields | undefined;
  headers?: readonly (Value & { name: string })[] | undefined;
}
interface OAuthFields {
  clientID?: Value | undefined;
  clientSecret?: Value | undefined;
  scope?: readonly string[] | undefined;
  tokenURL?: string | undefined;
  params?: Readonly<Record<string, unknown>> | undefined;
}
interface AwsFields {
  accessKey?: Value | undefined;
  secretKey?: Value | undefined;
  sessionToken?: Value | undefined;
  assumeRole?: string | undefined;
  region?: string | undefined;
  service?: string | undefined;
  /** Of the service that lends roles. */
  endpoint?: string | undefined;
  skipTLSVerify?: boolean | undefined;
}
interface TlsFields {
  insecureSkipVerify?: boolean | undefined;
  ca?: Value | undefined;
  cert?: Value | undefined;
  key?: Value | undefined;
}

/** A document says something that cannot be meant. */
export class WrongConnection extends Error {
  override name = "WrongConnection";
}

const textOf = (value: Value | undefined) => value?.value || undefined;

/** The address with credentials filled in; throws where it is none of HTTP. */
export function readAddress(text: string, { username, password }: ConnectionFields): URL {
  const filled = fillCredentials(text, username?.value, password?.value);
  const url = URL.canParse(filled) ? new URL(filled) : undefined;
  if (!url || !isHttp(url) || url.hostname === "")
    throw new WrongConnection("the url is not an http or https address with a host");
  return url;
}

/** Who asks: the first that is said of signing for AWS, OAuth 2, a token, NTLM, Digest, a name and a password. */
export function readAuth(fields: ConnectionFields): HttpAuth | undefined {
  const { username, password, ntlm, ntlmv2, digest, awsSigV4, oauth } = fields;
  if (awsSigV4) return readAws(awsSigV4);
  if (oauth && Object.values(oauth).some((one) => one !== undefined)) return readOAuth(oauth);
  const token = textOf(fields.bearer);
  if (token !== undefined) return { kind: "bearer", token };
  const isGiven = username?.value !== undefined || password?.value !== undefined;
  const login = { username: username?.value ?? "", password: password?.value ?? "" };
  const named = ntlmv2 ? "ntlmv2" : ntlm ? "ntlm" : digest ? "digest" : undefined;
  if (named && !isGiven) throw new WrongConnection(`${named} needs a username and a password`);
  if (ntlm || ntlmv2) return { kind: "ntlm", ...login, isV2Only: ntlmv2 === true };
  if (digest) return { kind: "digest", ...login };
  return isGiven ? { kind: "basic", ...login } : undefined;
}

function readOAuth({ clientID, clientSecret, scope, tokenURL, params }: OAuthFields): HttpAuth {
  const [id, secret] = [textOf(clientID), textOf(clientSecret)];
  if (id === undefined || secret === undefined)
    throw new WrongConnection("OAuth 2 needs a client id and a client secret");
  const tokenUrl = URL.canParse(tokenURL ?? "") ? new URL(tokenURL ?? "") : undefined;
  if (!tokenUrl || !isHttp(tokenUrl))
    throw new WrongConnection("OAuth 2 needs a tokenURL that is an http or https address");
  const given = Object.entries(params ?? {}).filter(([, value]) => typeof value !== "object");
  return {
    kind: "oauth2",
    tokenUrl,
    clientId: id,
    clientSecret: secret,
    scopes: scope ?? [],
    params: Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
  };
}

function readAws(fields: AwsFields): HttpAuth {
  const { accessKey, secretKey, sessionToken, assumeRole, region, service } = fields;
  const [id, secret, token] = [accessKey, secretKey, sessionToken].map(textOf);
  // Whoever signs with a role opens the connection with `openConnection`.
  if (assumeRole) throw new WrongConnection("awsSigV4.assumeRole is not supported here");
  if (id === undefined || secret === undefined)
    throw new WrongConnection("awsSigV4 needs an accessKey and a secretKey");
  if (!region || !service) throw new WrongConnection("awsSigV4 needs a region and a service");
  const credentials = { accessKey: id, secretKey: secret, ...(token && { sessionToken: token }) };
  return { kind: "awsSigV4", credentials, region, service };
}

/** Texts in PEM, as sockets take them. */
export const readTls = ({ insecureSkipVerify, ca, cert, key }: TlsFields = {}): TlsOptions => ({
  ...(insecureSkipVerify && { insecureSkipVerify }),
  ...(ca?.value && { ca: ca.value }),
  ...(cert?.value && { cert: cert.value }),
  ...(key?.value && { key: key.value }),
});

export interface ReadConnection {
  /** Without user-info. */
  url: URL;
  auth?: HttpAuth;
  tls: TlsOptions;
  headers: Record<string, string>;
  /** Secrets that stand in no document. */
  lent?: readonly string[];
}

/**
 * How a server is reached over HTTP and as whom. Credentials in the address count where nothing else says who asks.
 * Throws `WrongConnection`.
 */
export function readConnection(fields: ConnectionFields): ReadConnection {
  const address = readAddress(fields.url ?? fields.connection ?? "", fields);
  const { url, credentials } = splitUserInfo(address);
  const written = credentials && {
    username: { value: credentials.username },
    password: { value: credentials.password },
  };
  const auth = readAuth({ ...fields, ...written });
  const headers = (fields.headers ?? []).map(({ name, value }) => [name, value ?? ""]);
  return {
    url,
    ...(auth && { auth }),
    tls: readTls(fields.tls),
    headers: Object.fromEntries(headers) as Record<string, string>,
  };
}
