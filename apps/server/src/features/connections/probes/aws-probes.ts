import type { HttpAuth } from "#platform/outbound/http/authorization.ts";
import type { Connection } from "../connection.ts";
import { below, httpProbe } from "./http-probe.ts";

const defaultRegion = "us-east-1";

function signed({ username, password, properties }: Connection, service: string): HttpAuth {
  if (!username || !password)
    throw new Error("The connection has no access key and secret key to sign with.");
  return {
    kind: "awsSigV4",
    credentials: {
      accessKey: username,
      secretKey: password,
      ...(properties.sessionToken && { sessionToken: properties.sessionToken }),
    },
    region: properties.region || defaultRegion,
    service,
  };
}

const given = ({ url }: Connection) => (url && /^https?:/.test(url) ? url : undefined);
const isInsecure = ({ insecureTls, properties }: Connection) =>
  insecureTls || properties.insecureTLS === "true";

/** Who these keys are. */
export const aws = httpProbe((connection) => ({
  url: below(
    given(connection) ??
      `https://sts.${connection.properties.region || defaultRegion}.amazonaws.com`,
    "?Action=GetCallerIdentity&Version=2011-06-15",
  ),
  auth: signed(connection, "sts"),
  ...(isInsecure(connection) && { tls: { insecureSkipVerify: true } }),
}));

/** One name of the bucket. */
export const s3 = httpProbe((connection) => {
  const { bucket, region } = connection.properties;
  if (!bucket) throw new Error("The connection names no bucket.");
  const base = given(connection) ?? `https://s3.${region || defaultRegion}.amazonaws.com`;
  return {
    url: below(base, `${encodeURIComponent(bucket)}?list-type=2&max-keys=1`),
    auth: signed(connection, "s3"),
    ...(isInsecure(connection) && { tls: { insecureSkipVerify: true } }),
  };
});
