import { importPKCS8, SignJWT } from "jose";
import type { Connection } from "../connection.ts";
import { bearer, below, call } from "./http-probe.ts";
import type { Probe, ProbeInput } from "./probe.ts";

const formType = { "content-type": "application/x-www-form-urlencoded" } as const;

function textIn(body: unknown, key: string): string {
  const found = (body as Record<string, unknown> | undefined)?.[key];
  if (typeof found === "string" && found !== "") return found;
  throw new Error("The service answered without a token.");
}

/** An application's token, by its secret. */
export const azure: Probe = async ({ connection, send }) => {
  const { username = "", password = "", properties, url } = connection;
  const tenant = properties.tenant || properties.tenantID;
  if (!tenant) throw new Error("The connection has no tenant.");
  const base = url && /^https?:/.test(url) ? url : "https://login.microsoftonline.com";
  const body = await call(
    send,
    {
      url: below(base, `${encodeURIComponent(tenant)}/oauth2/v2.0/token`),
      method: "POST",
      headers: formType,
      body: new URLSearchParams({
        grant_type: "client_credentials",
        client_id: username,
        client_secret: password,
        scope: "https://management.azure.com/.default",
      }).toString(),
    },
    connection,
  );
  textIn(body, "access_token");
};

interface KeyFile {
  client_email: string;
  private_key: string;
  token_uri?: string;
  project_id?: string;
}

function readKeyFile({ certificate }: Connection): KeyFile {
  const wrong = new Error("The credentials are not the key file of a service account (JSON).");
  let file: unknown;
  try {
    file = JSON.parse(certificate ?? "");
  } catch {
    throw wrong;
  }
  const { client_email: email, private_key: key } = (file ?? {}) as Record<string, unknown>;
  if (typeof email !== "string" || typeof key !== "string") throw wrong;
  return file as KeyFile;
}

/** A token of a service account, by a text that it signs. */
async function googleToken(input: ProbeInput, file: KeyFile): Promise<string> {
  const tokenUrl = file.token_uri ?? "https://oauth2.googleapis.com/token";
  const key = await importPKCS8(file.private_key, "RS256").catch(() => {
    throw new Error("The private key of the service account cannot be read.");
  });
  const now = Math.floor(Date.now() / 1000);
  const assertion = await new SignJWT({
    scope:
      "https://www.googleapis.com/auth/cloud-platform.read-only https://www.googleapis.com/auth/devstorage.read_only",
  })
    .setProtectedHeader({ alg: "RS256", typ: "JWT" })
    .setIssuer(file.client_email)
    .setAudience(tokenUrl)
    .setIssuedAt(now)
    .setExpirationTime(now + 600)
    .sign(key);
  const body = await call(
    input.send,
    {
      url: tokenUrl,
      method: "POST",
      headers: formType,
      body: new URLSearchParams({
        grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
        assertion,
      }).toString(),
    },
    input.connection,
  );
  return textIn(body, "access_token");
}

const baseOf = ({ url }: Connection, otherwise: string) =>
  url && /^https?:/.test(url) ? url : otherwise;

export const googleCloud: Probe = async (input) => {
  const file = readKeyFile(input.connection);
  const token = await googleToken(input, file);
  const base = baseOf(input.connection, "https://cloudresourcemanager.googleapis.com");
  const isPlain = base.includes("www.googleapis.com");
  const url = below(
    isPlain ? "https://cloudresourcemanager.googleapis.com" : base,
    "v1/projects?pageSize=1",
  );
  await call(input.send, { url, ...bearer(token) }, input.connection);
};

export const gcs: Probe = async (input) => {
  const file = readKeyFile(input.connection);
  const token = await googleToken(input, file);
  const { bucket } = input.connection.properties;
  const project = input.connection.properties.project || file.project_id || "";
  const path = bucket
    ? `storage/v1/b/${encodeURIComponent(bucket)}`
    : `storage/v1/b?maxResults=1&project=${encodeURIComponent(project)}`;
  const url = below(baseOf(input.connection, "https://storage.googleapis.com"), path);
  await call(input.send, { url, ...bearer(token) }, input.connection);
};

export const cloudProbes: Readonly<Record<string, Probe>> = {
  azure,
  google_cloud: googleCloud,
  gcs,
};
