// Takes long: lines are sent, searched, followed and told again by a whole server.
import { createSocket } from "node:dgram";
import { request } from "node:http";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { LogAnswer, LogLine } from "@mainstay/contract";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { serve } from "#platform/outbound/testing/serve.ts";
import { type Client, startTestApp, type TestApp } from "../../testing/app.ts";
import { createPerson } from "../../testing/people.ts";
import { writeLines } from "./store/write-lines.ts";

/** Lines over the wire: sent, searched, followed, with everything that people get wrong. */

let app: TestApp;
let editor: Client;
let viewer: Client;
/** Whom a stream is asked for. */
let token: string;
const syslogPort = 20_000 + (process.pid % 20_000);

beforeAll(async () => {
  app = await startTestApp({ role: "api", syslogPort });
  editor = await createPerson(app, "editor");
  const person = await createPerson(app, "viewer");
  viewer = person;
  token = person.token;
});
afterAll(() => app.stop());

const ask = async (body: object) => {
  const reply = await viewer.post("/api/logs", body);
  return { status: reply.status, ...(reply.json as LogAnswer & { error?: string }) };
};
const messages = async (query: string) =>
  (await ask({ query, direction: "forward" })).results.map(({ message }) => message);
const ndjson = { "content-type": "application/x-ndjson" };
const send = (lines: readonly object[]) =>
  editor.post("/api/logs/ingest", lines.map((line) => JSON.stringify(line)).join("\n"), ndjson);

describe("sending lines", () => {
  test("keeps what is good, and tells by number what is not", async () => {
    const reply = await editor.post(
      "/api/logs/ingest",
      [
        '{"message":"first","level":"WARNING","labels":{"test":"good","n":1}}',
        "{half",
        "17",
        '{"message":"too old","time":"2001-01-01T00:00:00Z"}',
        '{"message":"ahead","time":"2999-01-01T00:00:00Z"}',
        '{"message":"\\u0000 \\ud800","labels":{"test":"good"}}',
        JSON.stringify({ message: "x".repeat(40_000), labels: { test: "good" } }),
      ].join("\n"),
      ndjson,
    );
    expect(reply.json).toMatchObject({ accepted: 3, refused: 4, cut: 1 });
    expect(reply.json.errors.map(({ line }: { line: number }) => line)).toEqual([2, 3, 4, 5]);
    const { results } = await ask({ query: "test=good", direction: "forward" });
    expect(
      results.map(({ level, length, message }) => [level, length, message.slice(0, 5)]),
    ).toEqual([
      ["warn", undefined, "first"],
      [undefined, undefined, "\uFFFD \uFFFD"],
      [undefined, 40_000, "xxxxx"],
    ]);
    expect(results[0]?.labels).toEqual({ test: "good", n: "1", level: "WARNING" });
  });

  test("a level is one thing, whether it is said as a field, as a label, or as both", async () => {
    const said = [
      { msg: "field", level: "error", labels: { test: "level" } },
      { msg: "label", labels: { test: "level", level: "ERR" } },
      { msg: "both", level: "error", labels: { test: "level", level: "error" } },
      { msg: "at odds", level: "error", labels: { test: "level", level: "debug" } },
      { msg: "other", level: "info", labels: { test: "level" } },
    ];
    expect((await send(said)).json).toMatchObject({ accepted: 5, refused: 0 });
    const found = ["field", "label", "both", "at odds"];
    expect(await messages("test=level level=error")).toEqual(found);
    expect(await messages('test=level "level"=error')).toEqual(["field", "both", "at odds"]);
    expect(await messages("test=level level=debug")).toEqual([]);
  });

  test("takes an array, one object, plain text, and what is packed", async () => {
    const array = await editor.post("/api/logs/ingest", [
      { msg: "of an array", labels: { test: "forms" } },
      "plain in an array",
    ]);
    expect(array.json).toMatchObject({ accepted: 2, refused: 0 });
    const one = await editor.post("/api/logs/ingest", { msg: "one", labels: { test: "forms" } });
    expect(one.json).toMatchObject({ accepted: 1 });
    const text = await editor.post("/api/logs/ingest", "level=error msg=fmt test=forms\n\n", {
      "content-type": "text/plain",
    });
    expect(text.json).toMatchObject({ accepted: 1 });
    const packed = await fetch(`${app.address}/api/logs/ingest`, {
      method: "POST",
      headers: { ...ndjson, "content-encoding": "gzip", "x-session-token": editorToken() },
      body: gzipSync('{"msg":"packed","labels":{"test":"forms"}}'),
    });
    expect(await packed.json()).toMatchObject({ accepted: 1 });
    expect(await messages("test=forms")).toEqual(["of an array", "one", "fmt", "packed"]);
  });

  test("refuses bodies that cannot be read, and what nobody may send", async () => {
    const gzip = { "content-encoding": "gzip" };
    expect((await editor.post("/api/logs/ingest", "no gzip", gzip)).status).toBe(400);
    expect((await editor.post("/api/logs/ingest", "x", { "content-encoding": "br" })).status).toBe(
      400,
    );
    expect((await viewer.post("/api/logs/ingest", { msg: "x" })).status).toBe(403);
    expect((await app.nobody.post("/api/logs/ingest", { msg: "x" })).status).toBe(401);
    expect((await editor.post("/api/logs/ingest", "x".repeat(17 * 1024 * 1024))).status).toBe(413);
    const bomb = await fetch(`${app.address}/api/logs/ingest`, {
      method: "POST",
      headers: { "content-encoding": "gzip", "x-session-token": editorToken() },
      body: gzipSync(Buffer.alloc(40 * 1024 * 1024, 32)),
    });
    expect(bomb.status).toBe(413);
  });

  test("keeps nothing of a body that ends half-way", async () => {
    const before = await app.db.first<{ n: number }>(sql`select count(*) as n from log_lines`);
    await new Promise<void>((resolve) => {
      const half = request(`${app.address}/api/logs/ingest`, {
        method: "POST",
        headers: { ...ndjson, "content-length": 500, "x-session-token": editorToken() },
      });
      half.on("error", () => resolve());
      half.write('{"msg":"half","labels":{"test":"half"}}\n', () => half.destroy());
    });
    await send([{ msg: "whole", labels: { test: "half" } }]);
    expect(await messages("test=half")).toEqual(["whole"]);
    const after = await app.db.first<{ n: number }>(sql`select count(*) as n from log_lines`);
    expect(after!.n).toBe(before!.n + 1);
  });
});

const editorToken = () => (editor as unknown as { token: string }).token;

describe("OpenTelemetry", () => {
  const nanos = BigInt(Date.now()) * 1_000_000n + 123n;

  test("in JSON, with what is refused as partial success", async () => {
    const reply = await editor.post("/api/logs/ingest/v1/logs", {
      resourceLogs: [
        {
          resource: { attributes: [{ key: "service.name", value: { stringValue: "shop" } }] },
          scopeLogs: [
            {
              scope: { name: "otel" },
              logRecords: [
                {
                  timeUnixNano: String(nanos),
                  severityNumber: 17,
                  body: { stringValue: "otlp json" },
                  attributes: [{ key: "n", value: { intValue: "7" } }],
                  traceId: "aa",
                },
                { timeUnixNano: "1000", body: { stringValue: "too old" } },
              ],
            },
          ],
        },
      ],
    });
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({ partialSuccess: { rejectedLogRecords: "1" } });
    const { results } = await ask({ query: '"otlp json"' });
    expect(results[0]).toMatchObject({
      level: "error",
      labels: { service: "shop", scope: "otel", n: "7", trace_id: "aa" },
    });
    expect(results[0]?.timestamp).toMatch(/000123Z$/);
  });

  test("attributes that are repeated: the last counts", async () => {
    const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } });
    const reply = await editor.post("/api/logs/ingest/v1/logs", {
      resourceLogs: [
        {
          resource: { attributes: [attribute("pod", "one"), attribute("pod", "two")] },
          scopeLogs: [
            {
              logRecords: [
                {
                  body: { stringValue: "otlp repeated" },
                  attributes: [
                    attribute("level", "warn"),
                    attribute("level", "error"),
                    attribute("__proto__", "x"),
                  ],
                },
              ],
            },
          ],
        },
      ],
    });
    expect(reply.json).toEqual({});
    const { results } = await ask({ query: '"otlp repeated"' });
    expect(results).toHaveLength(1);
    expect(results[0]?.level).toBe("error");
    expect(new Map(Object.entries(results[0]!.labels))).toEqual(
      new Map([
        ["__proto__", "x"],
        ["level", "error"],
        ["pod", "two"],
      ]),
    );
  });

  test("in Protobuf", async () => {
    const text = (number: number, value: string) => (writer: BinaryWriter) =>
      writer.tag(number, WireType.LengthDelimited).string(value);
    const message =
      (number: number, ...fields: ((writer: BinaryWriter) => unknown)[]) =>
      (writer: BinaryWriter) => {
        writer.tag(number, WireType.LengthDelimited).fork();
        for (const field of fields) field(writer);
        writer.join();
      };
    const writer = new BinaryWriter();
    message(
      1,
      message(1, message(1, text(1, "service.name"), message(2, text(1, "proto")))),
      message(
        2,
        message(
          2,
          (one) => one.tag(1, WireType.Bit64).fixed64(nanos),
          (one) => one.tag(2, WireType.Varint).int32(9),
          message(5, text(1, "otlp protobuf")),
        ),
      ),
    )(writer);
    const post = (body: Uint8Array) =>
      fetch(`${app.address}/api/logs/ingest/v1/logs`, {
        method: "POST",
        headers: { "content-type": "application/x-protobuf", "x-session-token": editorToken() },
        body: Buffer.from(body),
      });
    const whole = writer.finish();
    const reply = await post(whole);
    expect([reply.status, reply.headers.get("content-type")]).toEqual([
      200,
      "application/x-protobuf",
    ]);
    expect((await reply.arrayBuffer()).byteLength).toBe(0);
    const { results } = await ask({ query: '"otlp protobuf"' });
    expect(results[0]).toMatchObject({ level: "info", labels: { service: "proto" } });
    for (const cut of [1, 5, whole.length - 3])
      expect((await post(whole.slice(0, cut))).status).toBe(400);
  });
});

describe("syslog", () => {
  const modern = (text: string) =>
    `<165>1 ${new Date().toISOString()} host app 42 ID7 [ex@1 a="x \\"y\\""] ${text}`;

  test("over TCP, counted and by lines, and over UDP", async () => {
    // A template of rsyslog ends with a line end, counted or not.
    const counted = modern("counted\nin two\n");
    await new Promise<void>((resolve, reject) => {
      const socket = connect(syslogPort, "127.0.0.1", () => {
        socket.end(
          `${Buffer.byteLength(counted)} ${counted}${modern("by line")}\n<13>old style\n`,
          resolve,
        );
      });
      socket.on("error", reject);
    });
    const udp = createSocket("udp4");
    await new Promise<void>((resolve) => {
      udp.send(modern("datagram"), syslogPort, "127.0.0.1", () => resolve());
    });
    udp.close();
    await vi.waitFor(
      async () =>
        expect((await messages("facility=local4,user")).toSorted()).toEqual(
          ["by line", "counted\nin two", "datagram", "old style"].toSorted(),
        ),
      10_000,
    );
    const [line] = (await ask({ query: "datagram" })).results;
    expect(line).toMatchObject({
      level: "info",
      labels: {
        host: "host",
        app: "app",
        pid: "42",
        msgid: "ID7",
        "ex.a": 'x "y"',
        facility: "local4",
      },
    });
  });
});

describe("syslog that is too long", () => {
  test("is cut at 64 KiB, and what comes behind it is whole", async () => {
    const line = (text: string) => `<13>1 - host long - - - ${text}`;
    const long = line("y".repeat(200_000));
    await new Promise<void>((resolve, reject) => {
      const socket = connect(syslogPort, "127.0.0.1", () => {
        socket.end(
          `${long}\n${line("behind a line")}\n${long.length} ${long}${line("behind a count")}\n`,
          resolve,
        );
      });
      socket.on("error", reject);
    });
    const found = async () =>
      (await ask({ query: "app=long", direction: "forward" })).results.map(
        ({ message, length }) => [message.slice(0, 20), message.length, length],
      );
    // As much as a message of the store holds, of what was taken of it.
    const cut = ["y".repeat(20), 32_768, 65_536 - line("").length];
    await vi.waitFor(
      async () =>
        expect(await found()).toEqual([
          cut,
          ["behind a line", 13, undefined],
          cut,
          ["behind a count", 14, undefined],
        ]),
      10_000,
    );
  });
});

describe("asking", () => {
  test("the old form has its errors, and a component's selector is filled in", async () => {
    const component = (await app.db.first<{ id: string }>(sql`
      insert into components (external_id, name, type, status, properties, log_selectors)
      values ('c1', 'shop', 'App', 'healthy', '[{"name":"env","text":"prod"}]',
              '[{"name":"main","labels":{"app":"{{.self.name}}","env":"{{.properties.env}}"}},{"name":"bad","labels":{"a":"{{.x"}}]')
      returning id`))!;
    await send([
      { msg: "of the shop", labels: { app: "shop", env: "prod" } },
      { msg: "of another", labels: { app: "shop", env: "test" } },
    ]);
    const { id } = component;
    expect((await ask({ id, name: "main" })).results.map(({ message }) => message)).toEqual([
      "of the shop",
    ]);
    expect((await ask({ id })).results).toHaveLength(1);
    expect(await ask({ name: "main" })).toMatchObject({
      status: 400,
      error: "ID field is required",
    });
    expect(await ask({ id, name: "none" })).toMatchObject({
      status: 400,
      error: "Log selector was not found",
    });
    expect((await ask({ id, name: "bad" })).status).toBe(400);
    expect((await ask({ id: "0190a0b4-0000-7000-8000-00000000ffff" })).status).toBe(404);
  });

  test("what is wrong with a question is said", async () => {
    for (const body of [
      { query: 'a "b' },
      { query: "a=~(" },
      { start: "soon" },
      { cursor: "x" },
      { limit: 100_000 },
      { labels: { a: 1 } },
    ])
      expect([(await ask(body)).status, JSON.stringify(body)]).toEqual([400, JSON.stringify(body)]);
    expect((await ask({ backend: "nobody's" })).status).toBe(404);
    expect((await app.nobody.post("/api/logs", {})).status).toBe(401);
  });

  test("pages go on while lines come", async () => {
    const labels = { test: "paging" };
    await send(Array.from({ length: 25 }, (_, n) => ({ msg: `line ${n}`, labels })));
    const seen: LogLine[] = [];
    let cursor: string | undefined;
    do {
      const page = await ask({ query: "test=paging", limit: 10, cursor });
      expect(page.status).toBe(200);
      seen.push(...page.results);
      cursor = page.next;
      await send([{ msg: "late", labels }]);
    } while (cursor !== undefined);
    expect(seen.map(({ message }) => message)).toEqual(
      Array.from({ length: 25 }, (_, n) => `line ${24 - n}`),
    );
    const other = await ask({ query: "test=paging", limit: 10 });
    expect((await ask({ query: "else", cursor: other.next })).status).toBe(400);
  });

  test("patterns that never end elsewhere end here", async () => {
    await send([{ msg: `${"a".repeat(30_000)}!`, labels: { test: "endless" } }]);
    for (const pattern of ["(a+)+$", "(a|aa)+$", "(.*a){12}$", "a{0,200}a{200}b"])
      expect((await ask({ query: `test=endless message=~"${pattern}"` })).status).toBe(200);
  });

  test("context, histogram, labels, sources and a file", async () => {
    const labels = { test: "around" };
    const time = (n: number) => new Date(Date.now() - 60_000 + n * 1_000).toISOString();
    await send(
      Array.from({ length: 9 }, (_, n) => ({
        msg: `n${n}`,
        // What is around an error is of any level.
        level: n === 4 ? "error" : "warn",
        time: time(n),
        labels,
      })),
    );
    const [middle] = (await ask({ query: "test=around n4" })).results;
    const context = await viewer.post("/api/logs/context", {
      line: middle?.id,
      before: 2,
      after: 3,
    });
    const names = (lines: LogLine[]) => lines.map(({ message }) => message);
    expect([
      names(context.json.before),
      context.json.line.message,
      names(context.json.after),
    ]).toEqual([["n2", "n3"], "n4", ["n5", "n6", "n7"]]);
    expect((await viewer.post("/api/logs/context", { line: "nothing" })).status).toBe(400);
    const counted = await viewer.post("/api/logs/histogram", { query: "test=around" });
    expect(
      counted.json.buckets.reduce(
        (sum: number, { counts }: { counts: { warn?: number; error?: number } }) =>
          sum + (counts.warn ?? 0) + (counts.error ?? 0),
        0,
      ),
    ).toBe(9);
    const known = await viewer.get("/api/logs/labels");
    expect(known.json.labels).toContainEqual({
      name: "test",
      values: expect.arrayContaining(["around"]),
    });
    expect((await viewer.get("/api/logs/sources")).json).toEqual({
      sources: [{ id: "store", name: "Mainstay", type: "store" }],
    });
    const file = await viewer.get(
      "/api/logs/download?query=test%3Daround&direction=forward&limit=3",
    );
    expect(file.text).toMatch(/^\S+ WARN n0\n\S+ WARN n1\n\S+ WARN n2\n$/);
    const json = await viewer.get("/api/logs/download?query=test%3Daround&format=json");
    expect(names(json.json)).toHaveLength(9);
    expect((await viewer.get("/api/logs/download?query=nobody&format=json")).json).toEqual([]);
  });
});

describe("log backends that misbehave", () => {
  const addLoki = async (name: string, url: string) => {
    const spec = { backends: [{ loki: { url, query: '{app="a"}' } }] };
    const made = await editor.post("/api/db/logging_backends", { name, spec });
    expect(made.status).toBe(201);
  };
  const nanos = (at: number) => `${at}000000`;

  test("a download that is cancelled half-way lets go of the backend at once", async () => {
    const waits = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    let asked = 0;
    const { url, server } = await serve((_request, response) => {
      asked += 1;
      if (asked > 1) {
        response.once("close", () => gone.resolve());
        waits.resolve();
        return;
      }
      const at = Date.now() - 60_000;
      const values = Array.from({ length: 1_001 }, (_, n) => [nanos(at - n), `line ${n}`]);
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ data: { result: [{ stream: { app: "a" }, values }] } }));
    });
    await addLoki("stuck", url);
    const stop = new AbortController();
    const reply = await fetch(`${app.address}/api/logs/download?backend=stuck`, {
      headers: { "x-session-token": token },
      signal: stop.signal,
    });
    const reader = reply.body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toContain("line 0");
    await waits.promise;
    stop.abort();
    await gone.promise;
    expect(asked).toBe(2);
    await server.close();
  });

  test("a download that is cancelled ends its statement in the database at once", async () => {
    // Whoever holds the table keeps the statement waiting in the database, for as long as it is let.
    const letGo = Promise.withResolvers<void>();
    const isHeld = Promise.withResolvers<void>();
    const holding = app.owner.transaction(async (tx) => {
      await tx.run(sql`lock table log_lines in access exclusive mode`);
      isHeld.resolve();
      await letGo.promise;
    });
    await isHeld.promise;
    const waiting = async () =>
      (
        await app.db.rows<{ pid: number }>(sql`
          select pid from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock' and query like '%from log_lines%'`)
      ).map(({ pid }) => pid);
    try {
      const stop = new AbortController();
      const download = fetch(`${app.address}/api/logs/download?query=test%3Dcancelled`, {
        headers: { "x-session-token": token },
        signal: stop.signal,
      }).catch((error: unknown) => error);
      await vi.waitFor(async () => expect(await waiting()).not.toEqual([]), 10_000);
      const begun = performance.now();
      stop.abort();
      await vi.waitFor(async () => expect(await waiting()).toEqual([]), 20_000);
      // Its own time would be eight seconds.
      expect(performance.now() - begun).toBeLessThan(7_000);
      expect(await download).toBeInstanceOf(Error);
    } finally {
      letGo.resolve();
      await holding;
    }
  });

  test("half a JSON and a page are told by the backend's name", async () => {
    const { url, server } = await serve((request, response) => {
      const isPage = request.url?.startsWith("/page") === true;
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(isPage ? "<html>welcome</html>" : '{"data":{"result":[{"str');
    });
    await addLoki("half", url);
    await addLoki("page", `${url}/page`);
    for (const backend of ["half", "page"]) {
      const reply = await ask({ backend });
      expect([reply.status, reply.error]).toEqual([
        503,
        expect.stringMatching(new RegExp(`^${backend}: .*is not JSON`)),
      ]);
      expect(reply.sources).toEqual([expect.objectContaining({ name: backend, type: "loki" })]);
    }
    await server.close();
  });
});

interface Heard {
  event: string;
  id?: string;
  data: { lines?: LogLine[]; count?: number; notices?: string[] };
}

function follow(search: string, headers: Record<string, string> = {}) {
  const heard: Heard[] = [];
  const ended = Promise.withResolvers<void>();
  return new Promise<{
    status: number;
    heard: Heard[];
    ended: Promise<void>;
    close(): void;
    pause(): void;
    resume(): void;
  }>((resolve, reject) => {
    const asked = request(
      `${app.address}/api/logs/tail${search}`,
      { headers: { "x-session-token": token, ...headers } },
      (reply) => {
        let text = "";
        reply.setEncoding("utf8");
        reply.on("data", (chunk: string) => {
          const parts = (text + chunk).split("\n\n");
          text = parts.pop() ?? "";
          for (const part of parts) {
            const fields = new Map(
              part
                .split("\n")
                .map((line) => [
                  line.slice(0, line.indexOf(":")),
                  line.slice(line.indexOf(":") + 2),
                ]),
            );
            const event = fields.get("event");
            if (event)
              heard.push({
                event,
                id: fields.get("id")!,
                data: JSON.parse(fields.get("data") ?? "{}") as Heard["data"],
              });
          }
        });
        reply.once("close", () => ended.resolve());
        resolve({
          status: reply.statusCode ?? 0,
          heard,
          ended: ended.promise,
          close: () => asked.destroy(),
          pause: () => reply.pause(),
          resume: () => reply.resume(),
        });
      },
    );
    asked.once("error", reject);
    asked.end();
  });
}
const linesOf = ({ heard }: { heard: Heard[] }) =>
  heard.flatMap(({ data }) => data.lines ?? []).map(({ message }) => message);

describe("following", () => {
  test("tells what comes and is meant, and goes on where a page was", async () => {
    const tail = await follow("?query=test%3Dtail%20-no");
    await send([
      { msg: "one", labels: { test: "tail" } },
      { msg: "no", labels: { test: "tail" } },
      { msg: "elsewhere", labels: { test: "x" } },
    ]);
    await send([{ msg: "two", labels: { test: "tail" } }]);
    await vi.waitFor(() => expect(linesOf(tail)).toEqual(["one", "two"]), 10_000);
    const { id } = tail.heard.at(-1)!;
    tail.close();
    await send([{ msg: "meanwhile", labels: { test: "tail" } }]);
    const again = await follow("?query=test%3Dtail%20-no", { "last-event-id": id! });
    await send([{ msg: "three", labels: { test: "tail" } }]);
    await vi.waitFor(() => expect(linesOf(again)).toEqual(["meanwhile", "three"]), 10_000);
    again.close();
  });

  test("a line that is dated back comes to who comes again, also before any was told", async () => {
    const tail = await follow("?query=test%3Dback");
    await vi.waitFor(() => expect(tail.heard[0]?.event).toBe("here"), 10_000);
    const [{ id: beginning } = {}] = tail.heard;
    tail.close();
    const past = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
    await send([{ msg: "old", time: past(50), labels: { test: "back" } }]);
    const again = await follow(`?query=test%3Dback&since=${encodeURIComponent(beginning!)}`);
    await vi.waitFor(() => expect(linesOf(again)).toEqual(["old"]), 10_000);
    const { id } = again.heard.findLast(({ event }) => event === "lines")!;
    again.close();
    await send([{ msg: "older", time: past(90), labels: { test: "back" } }]);
    const third = await follow("?query=test%3Dback", { "last-event-id": id! });
    await vi.waitFor(() => expect(linesOf(third)).toEqual(["older"]), 10_000);
    third.close();
  });

  test("a line that another server commits late comes to whoever comes again in that moment", async () => {
    const tail = await follow("?query=test%3Dlate");
    await vi.waitFor(() => expect(tail.heard[0]?.event).toBe("here"), 10_000);
    const isWritten = Promise.withResolvers<void>();
    const commit = Promise.withResolvers<void>();
    const late = { message: "late", nanos: 0, level: null, length: null, labels: { test: "late" } };
    const other = app.db.transaction(async (tx) => {
      await writeLines(tx, [{ ...late, micros: Date.now() * 1000 }]);
      isWritten.resolve();
      await commit.promise;
    });
    await isWritten.promise;
    await send([{ msg: "early", labels: { test: "late" } }]);
    await vi.waitFor(() => expect(linesOf(tail)).toEqual(["early"]), 10_000);
    const { id: position } = tail.heard.at(-1)!;
    // Who begins in that moment knows as little of it.
    const begun = await follow("?query=test%3Dlate");
    await vi.waitFor(() => expect(begun.heard[0]?.event).toBe("here"), 10_000);
    const { id: beginning } = begun.heard[0]!;
    begun.close();
    tail.close();
    commit.resolve();
    await other;
    for (const id of [position, beginning]) {
      const again = await follow("?query=test%3Dlate", { "last-event-id": id! });
      await vi.waitFor(() => expect(linesOf(again)).toContain("late"), 10_000);
      again.close();
    }
    // A number that nobody got holds nothing up.
    await app.db
      .transaction(async (tx) => {
        await writeLines(tx, [{ ...late, micros: Date.now() * 1000 }]);
        throw new Error("rolled back");
      })
      .catch(() => undefined);
    await send([{ msg: "after", labels: { test: "late" } }]);
    const third = await follow("?query=test%3Dlate&start=now-1h");
    await vi.waitFor(() => expect(linesOf(third)).toContain("after"), 10_000);
    third.close();
    const fourth = await follow("?query=test%3Dlate", {
      "last-event-id": third.heard.findLast(({ event }) => event === "lines")!.id!,
    });
    await send([{ msg: "last", labels: { test: "late" } }]);
    await vi.waitFor(() => expect(linesOf(fourth)).toEqual(["last"]), 10_000);
    fourth.close();
  });

  test("ends at once for who is signed out, or may not come in any more", async () => {
    const person = await createPerson(app, "viewer");
    const change = {
      "another role": sql`delete from casbin_rule where ptype = 'g' and v0 = ${person.id}`,
      "signed out": sql`update identity_sessions set active = false where identity_id = ${person.id}`,
      "signed in": sql`update identity_sessions set active = true where identity_id = ${person.id}`,
      "locked out": sql`update identities set state = 'inactive' where id = ${person.id}`,
    };
    const byPerson = { "x-session-token": person.token };
    const answered = (status: number) =>
      vi.waitFor(async () => {
        const tail = await follow("", byPerson);
        tail.close();
        expect(tail.status).toBe(status);
      }, 15_000);
    const endsWith = async (what: keyof typeof change) => {
      const tail = await follow("?query=test%3Drights", byPerson);
      await vi.waitFor(() => expect(tail.heard).not.toEqual([]), 10_000);
      await app.db.run(change[what]);
      await tail.ended;
    };
    await endsWith("another role");
    await answered(200);
    await endsWith("signed out");
    await answered(401);
    await app.db.run(change["signed in"]);
    await answered(200);
    await endsWith("locked out");
    await answered(401);
  });

  test("ends at once for whose token is revoked, and when it expires", async () => {
    const person = await createPerson(app, "viewer");
    const followWithToken = async (name: string) => {
      const made = await person.post("/api/auth/tokens", { name });
      expect(made.status).toBe(201);
      const { access_token: text, id } = made.json;
      return {
        id: id as string,
        // Who follows has been let in, however long the hash of the token takes.
        follow: () => follow("?query=test%3Dtoken", { authorization: `Bearer ${text}` }),
      };
    };
    const ended = async (tail: Awaited<ReturnType<typeof follow>>) => {
      const begun = performance.now();
      await tail.ended;
      // By itself it ends after 54 seconds at the earliest.
      expect(performance.now() - begun).toBeLessThan(40_000);
    };
    const revoked = await followWithToken("revoked");
    const first = await revoked.follow();
    await vi.waitFor(() => expect(first.heard).not.toEqual([]), 10_000);
    const away = await person.delete(`/api/auth/tokens/${revoked.id}`);
    expect(away.status).toBeLessThan(300);
    await ended(first);
    expect((await revoked.follow()).status).toBe(401);
    const expiring = await followWithToken("expiring");
    (await expiring.follow()).close();
    await app.db.run(sql`
      update access_tokens set expires_at = now() + interval '3 seconds' where id = ${expiring.id}`);
    const second = await expiring.follow();
    expect(second.status).toBe(200);
    await ended(second);
    expect((await expiring.follow()).status).toBe(401);
  }, 60_000);

  test("what came while the database was not heard is told once, and nothing is made up", async () => {
    const tail = await follow("?query=test%3Dunheard");
    await vi.waitFor(() => expect(tail.heard[0]?.event).toBe("here"), 10_000);
    await app.owner.run(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and (query ilike 'listen %' or query = 'select 1')`);
    const labels = { test: "unheard" };
    const lines = Array.from({ length: 2_500 }, (_, n) => ({ msg: `${n}`, labels }));
    await send(lines);
    await vi.waitFor(() => expect(linesOf(tail)).toContain("2499"), 20_000);
    await send([{ msg: "after", labels }]);
    await vi.waitFor(() => expect(linesOf(tail)).toContain("after"), 20_000);
    const missed = tail.heard.reduce((sum, { data }) => sum + (data.count ?? 0), 0);
    expect(new Set(linesOf(tail)).size).toBe(linesOf(tail).length);
    expect(missed + linesOf(tail).length).toBe(2_501);
    tail.close();
  });

  test("a page that comes again after too much is told that some is missing", async () => {
    const tail = await follow("?query=test%3Dgap");
    await send([{ msg: "first", labels: { test: "gap" } }]);
    await vi.waitFor(() => expect(linesOf(tail)).toEqual(["first"]), 10_000);
    const { id } = tail.heard.at(-1)!;
    tail.close();
    const noticesOf = (heard: Heard[]) => heard.flatMap(({ data }) => data.notices ?? []);
    const linesAgain = async (count: number) => {
      await send(
        Array.from({ length: count }, (_, n) => ({ msg: `${n}`, labels: { test: "gap" } })),
      );
      const again = await follow("?query=test%3Dgap", { "last-event-id": id! });
      await vi.waitFor(() => expect(linesOf(again).length).toBeGreaterThan(0), 10_000);
      again.close();
      return [linesOf(again).length, noticesOf(again.heard)];
    };
    expect(await linesAgain(1_000)).toEqual([1_000, []]);
    expect(await linesAgain(1)).toEqual([1_000, [expect.stringContaining("More than 1000 lines")]]);
  });

  test("a page that does not read is told how much it missed, and keeps nothing waiting", async () => {
    const tail = await follow("?query=test%3Dflood");
    tail.pause();
    const lines = Array.from({ length: 1_000 }, (_, n) => ({
      msg: `${n} ${"y".repeat(4_000)}`,
      labels: { test: "flood" },
    }));
    for (let n = 0; n < 5; n++) expect((await send(lines)).json.accepted).toBe(1_000);
    tail.resume();
    const missed = () => tail.heard.reduce((sum, { data }) => sum + (data.count ?? 0), 0);
    await vi.waitFor(() => expect(missed()).toBeGreaterThan(0), 30_000);
    await vi.waitFor(() => expect(missed() + linesOf(tail).length).toBe(5_000), 30_000);
    tail.close();
  });

  test("nobody has more than a few, and who may not read none", async () => {
    const tails = await Promise.all(Array.from({ length: 5 }, () => follow("")));
    expect(tails.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await follow("")).status).toBe(429);
    for (const tail of tails) tail.close();
    await vi.waitFor(async () => {
      const tail = await follow("");
      tail.close();
      expect(tail.status).toBe(200);
    }, 10_000);
    expect((await app.nobody.get("/api/logs/tail")).status).toBe(401);
    expect((await viewer.get("/api/logs/tail?query=a%20%22b")).status).toBe(400);
  });
});
