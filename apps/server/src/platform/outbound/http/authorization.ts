import type { AwsCredentials } from "./sign-aws.ts";

/** How a request says who asks. */
export type HttpAuth =
  | { kind: "basic"; username: string; password: string }
  | { kind: "bearer"; token: string }
  | { kind: "digest"; username: string; password: string }
  | NtlmAuth
  | OAuth2Auth
  | AwsAuth;

/** The first version is only for servers that are older than the second; `isV2Only` refuses it to them as well. */
export interface NtlmAuth {
  kind: "ntlm";
  username: string;
  password: string;
  isV2Only: boolean;
}

/** A token is fetched first (client credentials), and kept until it expires. */
export interface OAuth2Auth {
  kind: "oauth2";
  tokenUrl: URL;
  clientId: string;
  clientSecret: string;
  scopes: readonly string[];
  /** Sent along to the token endpoint. */
  params: Readonly<Record<string, string>>;
}

/** Every request is signed (Signature Version 4). */
export interface AwsAuth {
  kind: "awsSigV4";
  credentials: AwsCredentials;
  region: string;
  service: string;
}

/** The value of the header, for the kinds that take one message. */
export function authorization(auth: Extract<HttpAuth, { kind: "basic" | "bearer" }>): string {
  switch (auth.kind) {
    case "basic":
      return `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString("base64")}`;
    case "bearer":
      return `Bearer ${auth.token}`;
  }
}
