import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { AddressInfo } from "node:net";
import type { Role } from "@mainstay/contract";
import { Configuration, FrontendApi, type LoginFlow } from "@ory/kratos-client";
import type { Config } from "#platform/config.ts";
import { type Actor, createCtx, type Ctx } from "#platform/context.ts";
import type { Database } from "#platform/db/database.ts";
import type { Feature, Services } from "#platform/feature.ts";
import { prepareDataRoles } from "#platform/db/data-role.ts";
import { dataApiRoute } from "#platform/http/data-api-route.ts";
import { createAuthenticator } from "#platform/http/authenticator.ts";
import { createHttpServer } from "#platform/http/server.ts";
import { createListener } from "#platform/events/listener.ts";
import { createQueue } from "#platform/jobs/queue.ts";
import { createToTx } from "#platform/jobs/to-tx.ts";
import { createLog } from "#platform/log.ts";
import { createMetrics } from "#platform/metrics.ts";
import { audit } from "#features/audit/index.ts";
import { live } from "#features/live/index.ts";
import { people } from "#features/people/index.ts";
import { grantRole, roles } from "#features/roles/index.ts";
import { settings } from "#features/settings/index.ts";
import { testDatabase } from "../../../testing/app.ts";
import { identity } from "../index.ts";
import { normalAddress } from "#platform/address.ts";
import { readConfig } from "../../../settings.ts";
import { createIdentity } from "../create-identity.ts";

const TEST_KEY = Buffer.alloc(32, 1).toString("base64");
export const PASSWORD = "correct horse battery staple";

export interface IdentityServer {
  url: string;
  db: Database;
  ctx: Ctx;
  /** Lines that were logged. */
  logged: string[];
  /** Moves the server's clock. */
  advance(ms: number): void;
  /** Somebody who can sign in with `PASSWORD`. */
  createPerson(email: string, role?: Role): Promise<{ id: string }>;
  /** The official client; it never throws for a status. */
  client: FrontendApi;
  stop(): Promise<void>;
}

/** The ground features over HTTP, on a database of their own. */
export async function startIdentityServer(
  given: Partial<Config> = {},
  anonymous?: Actor,
  /** Whether jobs are done, or only waiting. */
  { works = true }: { works?: boolean } = {},
): Promise<IdentityServer> {
  const features: readonly Feature[] = [audit, live, roles, identity, people, settings];
  const { db, owner, drop } = await testDatabase();
  const logged: string[] = [];
  const log = createLog("debug", { write: (line) => void logged.push(line) });
  let offset = 0;
  const clock = { now: () => new Date(Date.now() + offset) };
  const config = { ...readConfig({ encryptionKey: TEST_KEY }, {}), ...given };
  const ctx = createCtx({
    actor: { kind: "system" },
    config,
    db,
    clock,
    log,
    signal: new AbortController().signal,
    toTx: (queryable) => toTx(queryable),
  });
  const listener = createListener({ db, log });
  const queue = createQueue({
    db,
    log,
    listener,
    jobs: features.flatMap((feature) => feature.jobs ?? []),
    createCtx: (run) => ctx.with(run),
  });
  const toTx = createToTx(queue);
  // Only mail is sent by jobs here.
  const hasJobs = config.smtpUrl !== undefined;
  if (hasJobs) await queue.start({ work: works });
  const consoleDirectory = mkdtempSync(join("/tmp", "mainstay-console-"));
  const { app, http, contextOf } = await createHttpServer({
    config,
    log,
    metrics: createMetrics(),
    ctx,
    authenticate: createAuthenticator(
      ctx,
      features.flatMap((feature) => feature.authentications ?? []),
    ),
    anonymous: anonymous ?? { kind: "anonymous", readOnly: true, resources: [] },
    consoleDirectory,
  });
  const tables = features.flatMap((feature) => feature.tables ?? []);
  const dataRoles = await prepareDataRoles(db, log, tables, owner);
  const readPool = db.openPool(2, dataRoles?.read);
  const writeRole = dataRoles?.write;
  const writePool = db.openPool(2, writeRole);
  const parts = { readPool, writePool, writeRole, tables, functions: [], contextOf };
  await dataApiRoute(app, parts).ready();
  // The routes of these features need no more of the program's services than these two.
  for (const feature of features)
    if (feature !== live) feature.routes?.(http, { ctx, config } as Services);
  // What every other feature's write looks like to the authenticator.
  http.post("/api/test/write", { access: "session" }, () => ({ written: true }));
  await app.listen({ port: 0, host: "127.0.0.1" });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return {
    url,
    db,
    ctx,
    logged,
    advance: (ms) => {
      offset += ms;
    },
    createPerson: (email, role) =>
      ctx.tx(async (tx) => {
        const person = await createIdentity(tx, {
          email: normalAddress(email)!,
          firstName: "Ada",
          lastName: "Lovelace",
          password: PASSWORD,
        });
        if (role) await grantRole(tx, person.id, role);
        return person;
      }),
    client: new FrontendApi(
      new Configuration({
        basePath: `${url}/api/.ory`,
        baseOptions: {
          validateStatus: () => true,
          maxRedirects: 0,
          headers: { accept: "application/json" },
        },
      }),
    ),
    async stop() {
      await app.close();
      if (hasJobs) await queue.stop();
      await listener.close();
      await Promise.all([readPool.end(), writePool.end()]);
      await drop();
      rmSync(consoleDirectory, { recursive: true });
    },
  };
}

/** The cookies of one browser. */
export class CookieJar {
  readonly #cookies = new Map<string, string>();

  /** Keeps what an answer sets. */
  keep<Answer extends { headers: object }>(answer: Answer): Answer {
    const { headers } = answer;
    const lines =
      headers instanceof Headers
        ? headers.getSetCookie()
        : ((headers as Record<string, string[]>)["set-cookie"] ?? []);
    for (const line of lines) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      const gone = /max-age=0(;|$)/i.test(line) || /expires=thu, 01 jan 1970/i.test(line);
      if (gone) this.#cookies.delete(name!);
      else this.#cookies.set(name!, value!);
    }
    return answer;
  }

  get(name: string): string | undefined {
    return this.#cookies.get(name);
  }

  set(name: string, value: string): void {
    this.#cookies.set(name, value);
  }

  delete(name: string): void {
    this.#cookies.delete(name);
  }

  /** Another one with the same cookies. */
  copy(): CookieJar {
    const copy = new CookieJar();
    for (const [name, value] of this.#cookies) copy.set(name, value);
    return copy;
  }

  toString(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }
}

/** What a browser does to sign in, up to the second factor where there is one; the cookies stay in the jar. */
export async function signInAsBrowser(
  { client }: IdentityServer,
  email: string,
  jar = new CookieJar(),
): Promise<CookieJar> {
  const { data: flow } = jar.keep(await client.createBrowserLoginFlow({ cookie: jar.toString() }));
  const signedIn = jar.keep(
    await client.updateLoginFlow({
      flow: flow.id,
      cookie: jar.toString(),
      updateLoginFlowBody: {
        method: "password",
        identifier: email,
        password: PASSWORD,
        csrf_token: csrfTokenOf(flow),
      },
    }),
  );
  if (signedIn.status !== 200 && signedIn.status !== 422)
    throw new Error(`signing in failed: ${JSON.stringify(signedIn.data)}`);
  return jar;
}

/** What a program does to sign in. */
export async function signInAsProgram({ client }: IdentityServer, email: string): Promise<string> {
  const { data: flow } = await client.createNativeLoginFlow({});
  const signedIn = await client.updateLoginFlow({
    flow: flow.id,
    updateLoginFlowBody: { method: "password", identifier: email, password: PASSWORD },
  });
  if (!signedIn.data.session_token)
    throw new Error(`signing in failed: ${JSON.stringify(signedIn.data)}`);
  return signedIn.data.session_token;
}

/** A browser that has opened the sign-in page. */
export async function beginLogin(
  server: IdentityServer,
): Promise<{ jar: CookieJar; flow: LoginFlow }> {
  const jar = new CookieJar();
  const { data: flow } = jar.keep(
    await server.client.createBrowserLoginFlow({ returnTo: "/health" }),
  );
  return { jar, flow };
}

export interface Sent {
  flow: string;
  cookie?: string;
  fields?: Record<string, unknown>;
  headers?: Record<string, string>;
}

/** What a client sends to sign in; `fields` and `headers` replace parts of a good request. */
export async function sendLogin({ url }: IdentityServer, { flow, cookie, fields, headers }: Sent) {
  const reply = await fetch(`${url}/api/.ory/self-service/login?flow=${flow}`, {
    method: "POST",
    redirect: "manual",
    headers: {
      accept: "application/json",
      "content-type": "application/json",
      ...(cookie ? { cookie } : {}),
      ...headers,
    },
    body: JSON.stringify({
      method: "password",
      identifier: "ada@example.org",
      password: PASSWORD,
      ...fields,
    }),
  });
  const text = await reply.text();
  return {
    status: reply.status,
    headers: reply.headers,
    body: (text ? JSON.parse(text) : undefined) as Record<string, unknown>,
  };
}

interface FlowLike {
  ui: { nodes: { attributes: object }[] };
}

/** The hidden token of a browser flow. */
export function csrfTokenOf(flow: FlowLike): string {
  const attributes = flow.ui.nodes.map(
    (node) => node.attributes as { name?: string; value?: string },
  );
  return attributes.find(({ name }) => name === "csrf_token")?.value ?? "";
}
