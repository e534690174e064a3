import { connect } from "node:net";
import { areInstalled, listenTcp, startMariadb } from "@mainstay/testkit/servers/index.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import { serveTds } from "#platform/outbound/sql/testing/tds-server.ts";
import { scrapeWith } from "../testing/scrape.ts";

/** A source that goes away in the middle of its answer: the scraper fails, wherever it was, and tells no row. */

const rowCount = 300;

/** Lets so many bytes of an answer through and ends the connection then, politely or not. */
async function relayTo(target: number) {
  const relay = { most: Number.POSITIVE_INFINITY, sent: 0, isReset: false };
  const listening = await listenTcp((client) => {
    const upstream = connect(target, "127.0.0.1");
    upstream.on("error", () => client.destroy());
    relay.sent = 0;
    const end = () => (relay.isReset ? client.resetAndDestroy() : client.end());
    upstream.on("data", (chunk: Buffer) => {
      const part = chunk.subarray(0, Math.max(0, relay.most - relay.sent));
      relay.sent += part.length;
      if (part.length > 0 && client.writable) client.write(part);
      if (part.length < chunk.length) end();
    });
    upstream.on("close", () => client.end());
    client.on("data", (chunk: Buffer) => upstream.write(chunk));
    client.once("close", () => upstream.end());
  });
  onTestFinished(() => listening.close());
  return { relay, port: listening.port };
}

async function failsWhereverItEnds(
  { relay, port }: Awaited<ReturnType<typeof relayTo>>,
  spec: { url: string; [field: string]: unknown },
) {
  const asked = () => scrapeWith("sql", { ...spec, url: spec.url.replace("PORT", `${port}`) });
  expect((await asked()).contents).toHaveLength(rowCount);
  const whole = relay.sent;
  expect(whole).toBeGreaterThan(20_000);
  const last = Array.from({ length: 12 }, (_none, index) => whole - 1 - index);
  const across = Array.from({ length: 12 }, (_none, index) => Math.ceil((whole * index) / 12));
  for (const most of [...across, ...last])
    for (const isReset of [false, true]) {
      Object.assign(relay, { most, isReset });
      await expect(asked(), `${most} of ${whole} bytes`).rejects.toThrow(/127\.0\.0\.1:\d+/);
    }
}

describe.skipIf(!areInstalled("mariadbd", "mariadb-install-db"))("MariaDB", () => {
  test("that goes away in the middle of its rows", async () => {
    const server = (await startMariadb())!;
    onTestFinished(() => server.stop());
    const numbers = `with recursive n as (select 1 as id union all select id + 1 from n where id < ${rowCount})`;
    const spec = {
      url: `mysql://127.0.0.1:PORT/${server.database}`,
      connection: "see url",
      auth: { username: { value: server.user }, password: { value: server.password } },
      query: `${numbers} select id, repeat('x', 100) as said from n`,
    };
    await failsWhereverItEnds(await relayTo(server.port), spec);
    // It says itself that it cannot go on, when it has sent most of them.
    const fails = `if(id = ${rowCount}, (select 1 union select 2), 1) as fails`;
    const broken = {
      ...spec,
      url: spec.url.replace("PORT", `${server.port}`),
      query: `${numbers} select id, repeat('x', 10000) as said, ${fails} from n`,
    };
    await expect(scrapeWith("sql", broken)).rejects.toThrow(/Subquery returns more than 1 row/);
  }, 60_000);
});

// There is no package of SQL Server for this machine: a stand-in at the level of TDS is asked.
test("SQL Server that goes away in the middle of its rows", async () => {
  function* rows(): Generator<[number, string]> {
    for (let id = 1; id <= rowCount; id += 1) yield [id, "x".repeat(100)];
  }
  const columns = [
    { name: "id", type: "int" },
    { name: "said", type: "nvarchar" },
  ] as const;
  const server = await listenTcp((socket) =>
    serveTds(socket, {
      login: { user: "monitor", password: "sesame", databases: ["shop"] },
      batch: (query) => ({
        columns,
        rows: rows(),
        ...(query.includes("broken") && { error: { number: 8134, message: "Divide by zero" } }),
      }),
    }),
  );
  onTestFinished(() => server.close());
  const spec = {
    url: "sqlserver://monitor:sesame@127.0.0.1:PORT?database=shop",
    connection: "see url",
    query: "select id, said from people",
  };
  await failsWhereverItEnds(await relayTo(server.port), spec);
  const url = spec.url.replace("PORT", `${server.port}`);
  const broken = scrapeWith("sql", { ...spec, url, query: "select id, said from broken" });
  await expect(broken).rejects.toThrow(/Divide by zero/);
}, 60_000);
