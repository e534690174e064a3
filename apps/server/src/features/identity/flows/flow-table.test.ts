// Takes long: every kind of flow is walked with every method, for browsers and programs; in a sample, with many.
import { readFileSync } from "node:fs";
import { sample } from "@mainstay/testkit/sample.ts";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startOpenIdProvider } from "../../../testing/openid-provider.ts";
import { forgetSessions } from "../sessions/sessions.ts";
import {
  expected,
  kinds,
  markdownOf,
  type Opening,
  openings,
  openingTable,
  type Outcome,
  outcomes,
  table,
} from "../testing/flow-table.ts";
import {
  type Fields,
  type MethodName,
  methodNames,
  type Place,
  signIn,
  type Walk,
  walks,
} from "../testing/flow-walks.ts";
import { type Answer, type FlowBody, type Kind, successorOf, Walker } from "../testing/flows.ts";
import type { IdentityServer } from "../testing/identity-server.ts";
import { type MailServer, startMailServer } from "../testing/mail-server.ts";
import { ORIGIN, startFactorServer } from "../testing/second-factors.ts";

const MINUTE = 60_000;
const SESSION_COOKIE = "ory_kratos_session";
let provider: Awaited<ReturnType<typeof startOpenIdProvider>>;
let mail: MailServer;
beforeAll(async () => {
  provider = await startOpenIdProvider([
    {
      client_id: "mainstay",
      client_secret: "secret",
      redirect_uris: [`${ORIGIN}/api/.ory/self-service/methods/oidc/callback/acme`],
      response_types: ["code"],
      grant_types: ["authorization_code"],
    },
  ]);
  mail = await startMailServer();
});
afterAll(async () => {
  await provider.stop();
  await mail.stop();
});

/** A server for each kind of flow: each sees few enough tries from one address to take them all. */
const startServer = () =>
  startFactorServer({
    registration: "open",
    signInByCode: true,
    smtpUrl: mail.url,
    oidcProviders: JSON.stringify([
      {
        id: "acme",
        label: "Acme",
        issuer_url: provider.issuer,
        client_id: "mainstay",
        client_secret: "secret",
      },
    ]),
  });

let made = 0;
const newAddress = () => `walker-${++made}@example.org`;
async function newPlace(server: IdentityServer, kind: Kind, isProgram: boolean): Promise<Place> {
  const email = newAddress();
  const id = kind === "registration" ? "" : (await server.createPerson(email)).id;
  const place = { server, mail, walker: new Walker(server, { isProgram }), email, id };
  if (kind === "settings") await signIn(place);
  return place;
}

/** The status, and the id of the error or the numbers of what the form says. */
function summary({ status, body }: Answer): string {
  const { error, ui } = body as Partial<FlowBody> & { error?: { id?: string } };
  if (error) return [status, ...(error.id ? [error.id] : [])].join(" ");
  if (!ui) return String(status);
  const said = [...(ui.messages ?? []), ...ui.nodes.flatMap((node) => node.messages)];
  return [status, ...new Set(said.map(({ id }) => id))].join(" ");
}

const isSecondStep = (kind: Kind, method: MethodName) =>
  kind === "login" && ["totp", "lookup_secret", "webauthn"].includes(method);
const needsSession = (kind: Kind, method: MethodName) =>
  kind === "settings" || isSecondStep(kind, method);

/** The same browser or program as it was before it sent anything. */
const twin = ({ server, walker }: Place): Walker => {
  const copy = new Walker(server, { isProgram: walker.isProgram, jar: walker.jar.copy() });
  copy.token = walker.token;
  return copy;
};

const withoutSession = ({ server, walker }: Pick<Place, "server" | "walker">): Walker => {
  const jar = walker.jar.copy();
  jar.delete(SESSION_COOKIE);
  return new Walker(server, { isProgram: walker.isProgram, jar });
};

/** A browser with the cookies that bind it to the flow, in which somebody else is signed in by now. */
async function asSomebodyElse(place: Place): Promise<Walker> {
  const email = newAddress();
  await place.server.createPerson(email);
  const other = { walker: withoutSession(place), email };
  await signIn(other);
  return other.walker;
}

async function needSecondFactor(server: IdentityServer, id: string): Promise<void> {
  await server.db.run(sql`
    insert into identity_credentials (identity_id, type, config) values (${id}, 'totp', '{}')`);
  forgetSessions(server.ctx);
}

type Happen = (
  reached: Place & { kind: Kind; walk: Walk; flow: FlowBody; right: Fields; wrong: Fields },
) => Promise<Answer>;

const happenings: Record<Exclude<Outcome, "not offered">, Happen> = {
  right: ({ walker, kind, flow, right }) => walker.send(kind, flow, right),
  async wrong({ server, walker, kind, flow, wrong: { use, ...wrong }, id }) {
    if (use)
      await server.db.run(sql`update identity_codes set used_at = now() where identity_id = ${id}`);
    return walker.send(kind, flow, wrong);
  },
  async expired({ server, walker, kind, flow, right }) {
    server.advance(61 * MINUTE);
    const answer = await walker.send(kind, flow, right);
    const fresh = await walker.get(kind, successorOf(answer));
    expect(summary(fresh)).toMatch(/^200 40[1-7]000[15]/);
    expect(summary(await walker.get(kind, flow.id))).toBe("410 self_service_flow_expired");
    return answer;
  },
  async replayed(place) {
    const again = twin(place);
    await place.walker.send(place.kind, place.flow, place.right);
    return again.send(place.kind, place.flow, place.right);
  },
  async "other browser"({ server, walker, kind, flow, right }) {
    if (walker.isProgram) {
      const reply = await fetch(`${server.url}/api/.ory/self-service/${kind}?flow=${flow.id}`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          origin: server.url,
          ...(walker.token ? { "x-session-token": walker.token } : {}),
        },
        body: JSON.stringify(right),
      });
      return { status: reply.status, body: (await reply.json()) as FlowBody, headers: {} };
    }
    const other = new Walker(server);
    await other.begin("login");
    return other.send(kind, flow, right);
  },
  "no CSRF token": ({ walker, kind, flow, right }) =>
    walker.send(kind, flow, { ...right, csrf_token: "" }),
  "somebody else": async (place) =>
    (await asSomebodyElse(place)).send(place.kind, place.flow, place.right),
  async "too many tries"({ walker, walk, kind, flow, right, wrong }) {
    for (let tries = 0; tries < walk.tries!; tries += 1) await walker.send(kind, flow, wrong);
    return walker.send(kind, flow, right);
  },
  async "no second factor"({ server, walker, kind, flow, right, id }) {
    await needSecondFactor(server, id);
    return walker.send(kind, flow, right);
  },
  async "long ago"({ server, walker, kind, flow, right }) {
    server.advance(16 * MINUTE);
    return walker.send(kind, flow, right);
  },
  "signed in": async (place) =>
    (await asSomebodyElse(place)).send(place.kind, place.flow, place.right),
  "not signed in": (place) => withoutSession(place).send(place.kind, place.flow, place.right),
};

/** Whether it can happen at all. */
function canHappen(kind: Kind, method: MethodName, outcome: Outcome, isProgram: boolean): boolean {
  const walk = walks[kind][method];
  const known = needsSession(kind, method);
  if (outcome === "not offered") return !walk || kind === "login";
  if (!walk) return false;
  if (isProgram && walk.isForBrowsers) return outcome === "right";
  switch (outcome) {
    case "no CSRF token":
      return !isProgram;
    case "too many tries":
      return walk.tries !== undefined;
    case "somebody else":
    case "not signed in":
      return known;
    case "no second factor":
      return kind === "settings" || (kind === "login" && !known);
    case "long ago":
      return kind === "settings";
    case "signed in":
      // The client sends no token with the others, so that programs have nobody to be there.
      return !known && kind !== "verification" && (!isProgram || kind === "login");
    case "right":
    case "wrong":
    case "expired":
    case "replayed":
    case "other browser":
      return true;
  }
}

/** A form of another kind, or of the other step of signing in. */
async function sendWhereNotOffered(place: Place, kind: Kind, method: MethodName): Promise<Answer> {
  const { walker } = place;
  if (kind === "login" && walks.login[method] && !isSecondStep(kind, method)) {
    const { flow } = await walks.login.totp!.reach(place);
    return walker.send("login", flow, { method, identifier: place.email });
  }
  const { body: flow } = await walker.begin(kind);
  return walker.send(kind, flow, { method });
}

async function answerTo(
  server: IdentityServer,
  kind: Kind,
  method: MethodName,
  outcome: Outcome,
  isProgram: boolean,
): Promise<string> {
  if (!canHappen(kind, method, outcome, isProgram)) return "-";
  const place = await newPlace(server, kind, isProgram);
  if (outcome === "not offered") return summary(await sendWhereNotOffered(place, kind, method));
  const walk = walks[kind][method]!;
  return summary(await happenings[outcome]({ ...place, kind, walk, ...(await walk.reach(place)) }));
}

async function opening(
  server: IdentityServer,
  kind: Kind,
  what: Opening,
  isProgram: boolean,
): Promise<string> {
  if (isProgram && what === "other return_to") return "-";
  if (what === "second step, not signed in" && kind !== "login") return "-";
  const walker = new Walker(server, { isProgram });
  const email = newAddress();
  const { id } = await server.createPerson(email);
  if (what === "signed in" || what === "no second factor" || kind === "settings")
    await signIn({ walker, email });
  switch (what) {
    case "nobody":
      return summary(await withoutSession({ server, walker }).begin(kind));
    case "signed in":
      return summary(await walker.begin(kind));
    case "no second factor":
      await needSecondFactor(server, id);
      return summary(await walker.begin(kind));
    case "second step, not signed in":
      return summary(await walker.begin(kind, { aal: "aal2" }));
    case "other return_to":
      return summary(await walker.begin(kind, { return_to: "//evil.example" }));
    case "looked at by another browser": {
      const { body } = await walker.begin(kind);
      const other = new Walker(server, { isProgram });
      if (kind === "settings") other.token = walker.token;
      await other.begin("login");
      return summary(await other.get(kind, body.id));
    }
    case "looked at, and there is none":
      return summary(await walker.get(kind, crypto.randomUUID()));
  }
}

describe.each(kinds)("%s", (kind) => {
  let server: IdentityServer;
  beforeAll(async () => {
    server = await startServer();
    await server.createPerson("first@example.org", "admin");
  });
  afterAll(() => server.stop());
  const rows = methodNames.flatMap((method) =>
    outcomes
      .filter((outcome) => canHappen(kind, method, outcome, false))
      .map((outcome) => [method, outcome] as const),
  );
  test("nothing is in the table that cannot happen", () => {
    const known = Object.entries(table[kind]).flatMap(([method, cells]) =>
      Object.keys(cells).map((outcome) => `${method}, ${outcome}`),
    );
    expect(known.toSorted()).toEqual(rows.map((row) => row.join(", ")).toSorted());
  });
  test.each(sample(rows, Math.ceil(rows.length / 3)))("%s, %s", async (method, outcome) => {
    const cell = table[kind][method]?.[outcome];
    for (const isProgram of [false, true]) {
      const answer = await answerTo(server, kind, method, outcome, isProgram);
      expect(answer).toBe(expected(cell, isProgram));
    }
  });
  test.each(openings)("opened: %s", async (what) => {
    const cell = openingTable[kind][what];
    for (const isProgram of [false, true]) {
      const answer = await opening(server, kind, what, isProgram);
      expect(answer).toBe(expected(cell, isProgram));
    }
  });
});

test.each(kinds)("the documentation has the table of %s", (kind) => {
  const documentation = readFileSync(
    new URL("../../../../../../docs/identity.md", import.meta.url),
    "utf8",
  );
  expect(documentation).toContain(`### ${kind}\n\n${markdownOf(kind)}\n`);
});
