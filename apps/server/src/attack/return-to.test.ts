import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { returnToTricks } from "#features/identity/testing/return-to-tricks.ts";
import { eachLimited } from "#platform/each-limited.ts";
import { startTestApp, type TestApp } from "../testing/app.ts";
import { createPerson, type TestPerson } from "../testing/people.ts";
import { pairs, sample } from "@mainstay/testkit/sample.ts";

/** Links that begin at this server and would end elsewhere, for every form and every way of saying where to go on. */

let app: TestApp;
let person: TestPerson;
beforeAll(async () => {
  app = await startTestApp({
    role: "api",
    logLevel: "fatal",
    publicUrl: "https://mainstay.example.org",
    registration: "open",
    smtpUrl: "smtp://127.0.0.1:1",
    // Forms are counted by network; here each is asked for from another.
    trustProxy: ["127.0.0.1"],
  });
  person = await createPerson(app, "viewer");
});
afterAll(() => app.stop());

const selfService = "/api/.ory/self-service";
const kinds = ["login", "registration", "recovery", "verification", "settings"];
const entrances = [
  ...kinds.map((kind) => `${selfService}/${kind}/browser?return_to=`),
  `${selfService}/registration/browser?after_verification_return_to=`,
  `${selfService}/login/browser?refresh=true&return_to=`,
  `${selfService}/login/browser?aal=aal2&return_to=`,
];

let asked = 0;
const ask = (path: string, accept: string) => {
  asked += 1;
  return fetch(app.app.localAddress + path, {
    redirect: "manual",
    headers: {
      accept,
      "x-forwarded-for": `10.${asked >> 16}.${(asked >> 8) & 255}.${asked & 255}`,
      ...(/settings|refresh|aal2/.test(path) ? cookieOf(person) : {}),
    },
  });
};
const cookieOf = ({ token }: TestPerson) => ({ cookie: `ory_kratos_session=${token}` });
const flows = async () =>
  (await app.db.first<{ n: number }>(sql`select count(*)::int as n from identity_flows`))!.n;

test("no trick of an address leads from any form to another place", async () => {
  const before = await flows();
  const wrong: string[] = [];
  const tricks = returnToTricks.map((trick) => encodeURIComponent(trick));
  // A parameter that comes twice is a list.
  const cases = pairs(entrances, [...tricks, "/health&return_to=//evil.example"]).filter(
    ([entrance, trick]) => !trick.includes("&") || entrance.endsWith("?return_to="),
  );
  expect(tricks.length).toBeGreaterThanOrEqual(33);
  await eachLimited(cases, 4, async ([entrance, trick]) => {
    const asProgram = await ask(entrance + trick, "application/json");
    const text = await asProgram.text();
    // A NUL is refused before anything reads the address.
    const isRead = !trick.includes("%00");
    const refusal = isRead ? "return_to_forbidden" : "bytes that are no text";
    if (asProgram.status !== 400 || !text.includes(refusal))
      wrong.push(`${entrance}${trick}: ${asProgram.status} ${text.slice(0, 200)}`);
    const asBrowser = await ask(entrance + trick, "text/html");
    const location = asBrowser.headers.get("location") ?? "";
    const isOurs = /^(?:https:\/\/mainstay\.example\.org)?\/error\?id=[\w-]+$/.test(location);
    if (isRead ? asBrowser.status !== 303 || !isOurs : asBrowser.status !== 400)
      wrong.push(`${entrance}${trick} in a browser: ${asBrowser.status} ${location}`);
  });
  expect(wrong).toEqual([]);
  expect(await flows()).toBe(before);
});

test("a page of this server is a way back from the same forms", async () => {
  for (const entrance of entrances.filter((path) => !/aal2/.test(path))) {
    const { status } = await ask(`${entrance}%2Fhealth`, "application/json");
    expect([entrance, status]).toEqual([entrance, 200]);
  }
});

test("signing out ends at no other place, and signs out all the same", async () => {
  const logout = `${app.app.localAddress}${selfService}/logout`;
  // An address with a NUL is refused before anybody is signed out.
  const read = returnToTricks.filter((trick) => !trick.includes("\0"));
  for (const trick of sample(read, 4)) {
    const leaving = await createPerson(app, "viewer");
    const headers = { accept: "text/html", ...cookieOf(leaving) };
    const { logout_token: token } = (await (
      await fetch(`${logout}/browser`, { headers: { ...headers, accept: "application/json" } })
    ).json()) as { logout_token: string };
    const query = new URLSearchParams({ token, return_to: trick }).toString();
    const left = await fetch(`${logout}?${query}`, { headers, redirect: "manual" });
    expect([trick, left.status, left.headers.get("location")]).toEqual([
      trick,
      303,
      expect.stringMatching(/^(?:https:\/\/mainstay\.example\.org)?\/error\?id=[\w-]+$/),
    ]);
    const { status } = await fetch(`${app.app.localAddress}/api/auth/whoami`, { headers });
    expect(status).toBe(401);
  }
});
