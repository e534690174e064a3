import type { Authentication } from "#platform/http/authenticator.ts";
import { createExternalAuthenticator } from "./external/external-kratos.ts";
import { createBasicAuthenticator } from "./sessions/authenticate-basic.ts";
import { createSessionAuthenticator } from "./sessions/authenticate.ts";

/** By a session of the Kratos that stands in, by a password with the request, and last by a session of our own. */
export const authentications: readonly Authentication[] = [
  { name: "external session", place: 20, create: createExternalAuthenticator },
  { name: "password", place: 30, create: createBasicAuthenticator },
  { name: "session", place: 90, create: createSessionAuthenticator },
];
