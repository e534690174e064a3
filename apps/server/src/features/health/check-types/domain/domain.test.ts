import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readDomain } from "@mainstay/contract";
import { listenTcp } from "@mainstay/testkit/servers/index.ts";
import { tryCheck } from "../testing/try-check.ts";
import { domain } from "./domain.ts";
import { forgetRegistrations } from "./rdap.ts";

/** A registry as RFC 9083 describes its answers, and the list as RFC 9224 does. */
let registry: Server;
let url: string;
let asked: string[];
let domains: Record<string, object | number>;
const dayMs = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();

beforeEach(async () => {
  forgetRegistrations();
  asked = [];
  domains = {};
  registry = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://registry");
    asked.push(pathname);
    if (pathname === "/dns.json") {
      response.setHeader("content-type", "application/json");
      const services = [
        [["com", "co.uk"], [`${url}/rdap/`]],
        [["strange"], ["ftp://nowhere"]],
      ];
      response.end(JSON.stringify({ version: "1.0", services }));
      return;
    }
    const found = domains[pathname.replace("/rdap/domain/", "")] ?? 404;
    response.setHeader("content-type", "application/rdap+json");
    if (typeof found === "number") {
      response.writeHead(found);
      response.end(JSON.stringify({ errorCode: found, title: "Not as you wish" }));
    } else response.end(JSON.stringify(found));
  });
  await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
});
afterEach(async () => {
  registry.closeAllConnections();
  await new Promise((resolve) => registry.close(resolve));
});

const registered = (name: string, ends: string | undefined, more: object = {}) => ({
  objectClassName: "domain",
  ldhName: name.toUpperCase(),
  status: ["active"],
  events: [
    { eventAction: "registration", eventDate: "1995-08-14T04:00:00Z" },
    ...(ends === undefined ? [] : [{ eventAction: "expiration", eventDate: ends }]),
  ],
  entities: [{ roles: ["registrar"], vcardArray: ["vcard", [["fn", {}, "text", "Names Ltd."]]] }],
  ...more,
});
const attempt = (name: string, more: object = {}) =>
  tryCheck(domain, { domain: name, bootstrap: `${url}/dns.json`, ...more });

test("the end of a registration is a result, whatever name below it is asked for", async () => {
  const ends = inDays(200);
  domains["shop.co.uk"] = registered("shop.co.uk", ends);
  const outcome = await attempt("https://www.eu.shop.co.uk/basket");
  expect(outcome).toMatchObject({
    pass: true,
    message: expect.stringMatching(/^the registration of shop\.co\.uk ends in 199 days, on \d{4}-/),
    details: { domain: "shop.co.uk", registrar: "Names Ltd.", statuses: ["active"], expires: ends },
    expires: { what: "domain", at: new Date(ends) },
  });
  // Registries count who asks: the next runs do not.
  const before = asked.length;
  expect(await attempt("shop.co.uk")).toMatchObject({ pass: true });
  expect(asked.length).toBe(before);
});

test.each([
  [
    "ends soon",
    registered("a.com", inDays(29.5)),
    /^the registration of a\.com expires in 29 days, at least 30/,
  ],
  [
    "has ended",
    registered("a.com", inDays(-2.5)),
    /^the registration of a\.com expired 2 days ago$/,
  ],
  [
    "is given up",
    registered("a.com", inDays(90), { status: ["Redemption Period"] }),
    /given up: Redemption/,
  ],
  ["is not there", 404, /^a\.com is not registered$/],
])("a registration that %s fails", async (_, answer, error) => {
  domains["a.com"] = answer;
  const outcome = await attempt("a.com");
  expect(outcome).toMatchObject({ pass: false, error: expect.stringMatching(error) });
  expect(outcome.untried).toBeUndefined();
});

test("the days are the check's", async () => {
  domains["a.com"] = registered("a.com", inDays(29.5));
  expect(await attempt("a.com", { maxDomainExpiry: 20 })).toMatchObject({ pass: true });
});

test.each([
  ["a registry that is busy", "a.com", 429, {}, /gets too many requests/],
  [
    "a registry that does not say",
    "a.com",
    registered("a.com", undefined),
    {},
    /does not say when/,
  ],
  [
    "a registry that answers rubbish",
    "a.com",
    { ldhName: 7, events: "x" },
    {},
    /does not say when/,
  ],
  ["a registry without a server", "a.strange", 404, {}, /^the registry of \.strange has no RDAP/],
  ["a list that is away", "a.com", 404, { bootstrap: "http://127.0.0.1:1/dns.json" }, /refused/],
  ["a server that is away", "a.com", 404, { server: "http://127.0.0.1:1" }, /refused/],
  ["a forbidden server", "a.com", 404, { server: "http://169.254.169.254" }, /address policy/],
])("%s says nothing about the domain", async (_, name, answer, more, error) => {
  domains["a.com"] = answer;
  const outcome = await attempt(name, more);
  expect(outcome).toMatchObject({ untried: true, error: expect.stringMatching(error) });
});

test("a registry that is silent costs the time of the check, and says nothing about the domain", async () => {
  const silent = await listenTcp((socket) => void socket.resume());
  const server = `http://127.0.0.1:${silent.port}`;
  expect(await tryCheck(domain, { domain: "a.com", server }, { timeoutMs: 300 })).toMatchObject({
    untried: true,
    error: "the registry: timed out after 300 ms",
  });
  await silent.close();
});

test("a server that is named is asked without the list", async () => {
  domains["a.strange"] = registered("a.strange", inDays(100));
  const found = await attempt("a.strange", { server: `${url}/rdap` });
  expect(found).toMatchObject({ pass: true });
  expect(asked).toEqual(["/rdap/domain/a.strange"]);
});

test.each([
  ["Example.COM.", "example.com"],
  ["https://example.com:8443/x", "example.com"],
  ["müller.example", "xn--mller-kva.example"],
  ["example", undefined],
  ["10.0.0.1", undefined],
  ["[::1]", undefined],
  ["a b.com", undefined],
  ["", undefined],
])("%s is the domain %s", (text, name) => expect(readDomain(text)).toBe(name));
