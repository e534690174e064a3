import { createSocket } from "node:dgram";
import { decode, encode } from "dns-packet";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  areInstalled,
  type DnsServer,
  freePort,
  startDnsmasq,
} from "@mainstay/testkit/servers/index.ts";
import { tryCheck } from "../testing/try-check.ts";
import { dns } from "./dns.ts";
import { reverseName } from "./records.ts";

describe.skipIf(!areInstalled("dnsmasq"))("against dnsmasq", () => {
  let server: DnsServer | undefined;
  beforeAll(async () => {
    server = await startDnsmasq([
      "--host-record=one.test,192.0.2.10,2001:db8::10",
      "--address=/two.test/192.0.2.20",
      "--address=/two.test/192.0.2.21",
      "--cname=alias.test,one.test",
      "--mx-host=shop.test,mail.test,10",
      "--mx-host=shop.test,Backup.test,20",
      "--srv-host=_sip._tcp.test,sip.test,5060,1,2",
      "--txt-record=shop.test,v=spf1 -all",
      "--dns-rr=shop.test,2,026e730474657374 00".replaceAll(" ", ""),
      ...Array.from(
        { length: 100 },
        (_, index) => `--txt-record=large.test,${index} ${"x".repeat(100)}`,
      ),
    ]);
  });
  afterAll(() => server?.stop());
  const probe = (spec: object) =>
    tryCheck(dns, { query: "", server: "127.0.0.1", port: server?.port, ...spec });

  test.each<[string, string, object]>([
    ["A", "one.test", { exactreply: ["192.0.2.10"] }],
    ["A", "two.test", { exactreply: ["192.0.2.21", "192.0.2.20"], minrecords: 2 }],
    ["A", "alias.test", { exactreply: ["192.0.2.10"] }],
    ["AAAA", "one.test", { exactreply: ["2001:DB8::10"] }],
    ["CNAME", "alias.test", { exactreply: ["one.test."] }],
    ["MX", "shop.test", { exactreply: ["backup.test. 20", "MAIL.test 10"] }],
    ["SRV", "_sip._tcp.test", { exactreply: ["sip.test 5060 1 2"] }],
    ["TXT", "shop.test", { exactreply: ["v=spf1 -all"] }],
    ["NS", "shop.test", { exactreply: ["ns.test"] }],
    ["PTR", "192.0.2.10", { exactreply: ["one.test"] }],
    ["PTR", "10.2.0.192.in-addr.arpa", { exactreply: ["one.test"] }],
    // Too large for a datagram: asked again over TCP.
    ["TXT", "large.test", { minrecords: 100 }],
  ])("%s %s", async (querytype, query, spec) => {
    const outcome = await probe({ query, querytype, ...spec });
    expect(outcome).toMatchObject({ pass: true });
  });

  test.each<[string, object, RegExp]>([
    ["too few", { query: "one.test", minrecords: 2 }, /1 A records found, at least 2 wanted/],
    [
      "other records",
      { query: "one.test", exactreply: ["192.0.2.11"] },
      /the answer is 192\.0\.2\.10; wanted 192\.0\.2\.11/,
    ],
    ["no such record", { query: "one.test", querytype: "MX" }, /"one\.test" has no MX record/],
    [
      "no such name",
      { query: "gone.test" },
      /"gone\.test" does not exist according to 127\.0\.0\.1:\d+/,
    ],
  ])("%s", async (_name, spec, error) => {
    const outcome = await probe(spec);
    expect(outcome.pass).toBe(false);
    expect(outcome.error).toMatch(error);
  });
});

test("a server that never answers costs the timeout of the check and no more", async () => {
  const silent = createSocket("udp4");
  await new Promise<void>((fulfil) => silent.bind(0, "127.0.0.1", fulfil));
  const { port } = silent.address();
  const outcome = await tryCheck(dns, {
    server: "127.0.0.1",
    port,
    query: "one.test",
    timeout: "300ms",
  });
  expect(outcome).toMatchObject({
    pass: false,
    error: `no answer from 127.0.0.1:${port} within 300 ms`,
  });
  const timedOut = await tryCheck(
    dns,
    { server: "127.0.0.1", port, query: "one.test" },
    { timeoutMs: 200 },
  );
  expect(timedOut).toMatchObject({ pass: false, error: "timed out after 200 ms" });
  silent.close();
});

test("garbage and answers to questions nobody asked are not believed", async () => {
  const liar = createSocket("udp4");
  liar.on("message", (message, from) => {
    liar.send("garbage", from.port, from.address);
    const forged = Buffer.from(message);
    forged.writeUInt16BE(forged.readUInt16BE(0) ^ 1, 0);
    forged.writeUInt16BE(0x8180, 2);
    liar.send(forged, from.port, from.address);
  });
  await new Promise<void>((fulfil) => liar.bind(0, "127.0.0.1", fulfil));
  const { port } = liar.address();
  const outcome = await tryCheck(dns, {
    server: "127.0.0.1",
    port,
    query: "one.test",
    timeout: "300ms",
  });
  expect(outcome).toMatchObject({
    pass: false,
    error: `no answer from 127.0.0.1:${port} within 300 ms`,
  });
  liar.close();
});

test("nobody listens", async () => {
  const port = await freePort();
  expect(await tryCheck(dns, { server: "127.0.0.1", port, query: "one.test" })).toMatchObject({
    pass: false,
    error: `connection refused by 127.0.0.1:${port}`,
  });
});

test("the policy holds for the server", async () => {
  expect(await tryCheck(dns, { server: "169.254.169.254", query: "one.test" })).toMatchObject({
    pass: false,
    error: expect.stringContaining("address policy") as string,
  });
});

test("reverse names", () => {
  expect(reverseName("192.0.2.10")).toBe("10.2.0.192.in-addr.arpa");
  expect(reverseName("2001:db8::1")).toBe(`1.${"0.".repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa`);
});

test("an answer that comes late is too slow", async () => {
  const slow = createSocket("udp4");
  slow.on("message", (message, from) => {
    const answer = encode({
      ...decode(message),
      type: "response",
      answers: [{ type: "A", name: "one.test", data: "192.0.2.1" }],
    });
    setTimeout(() => slow.send(answer, from.port, from.address), 60);
  });
  await new Promise<void>((fulfil) => slow.bind(0, "127.0.0.1", fulfil));
  const { port } = slow.address();
  const outcome = await tryCheck(dns, {
    server: "127.0.0.1",
    port,
    query: "one.test",
    thresholdMillis: 30,
  });
  expect(outcome).toMatchObject({
    pass: false,
    error: expect.stringMatching(/^the answer took \d+ ms, at most 30 ms wanted$/) as string,
  });
  expect(
    await tryCheck(dns, { server: "127.0.0.1", port, query: "one.test", thresholdMillis: 5000 }),
  ).toMatchObject({ pass: true });
  slow.close();
});
