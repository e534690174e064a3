import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Role } from "@mainstay/contract";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { saveDocuments } from "#platform/documents/save-documents.ts";
import { createCallLimit } from "./calls.ts";
import { canaryKind } from "./documents/canary-kind.ts";
import { requireRun } from "./runner/run-check-now.ts";

let app: TestApp;
let target: Server;
let url: string;
beforeAll(async () => {
  target = createServer((request, response) => {
    if (request.url !== "/never") response.writeHead(request.url === "/bad" ? 500 : 200).end("ok");
  });
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
  app = await startTestApp({ role: "api" });
});
afterAll(async () => {
  target.closeAllConnections();
  await new Promise((resolve) => target.close(resolve));
  await app.stop();
});

const document = (spec: object) =>
  JSON.stringify({
    apiVersion: "canaries.flanksource.com/v1",
    kind: "Canary",
    metadata: { name: "dry" },
    spec,
  });
const dryRun = (text: string) => app.admin.post("/api/canary/run/document", { document: text });

describe("a dry run", () => {
  test("runs every check once, says what came out, and stores nothing", async () => {
    const reply = await dryRun(
      document({
        http: [
          { name: "good", url },
          { name: "bad", url: `${url}/bad` },
          { name: "slow", url: `${url}/never`, timeout: "1s" },
          { name: "scripted", url, test: { expr: "true" } },
        ],
        amqp: [{ name: "image" }],
      }),
    );
    expect(reply.status, reply.text).toBe(200);
    expect(reply.json.results).toMatchObject([
      { name: "good", type: "http", pass: true, invalid: false, duration: expect.any(Number) },
      { name: "bad", pass: false, error: expect.stringMatching(/500/) },
      { name: "slow", pass: false, error: expect.stringMatching(/1000 ms|timed out/) },
      { name: "scripted", pass: true },
      {
        name: "image",
        type: "amqp",
        pass: false,
        error: expect.stringMatching(/not supported/),
      },
    ]);
    expect(
      await app.db.first(
        sql`select (select count(*) from canaries) + (select count(*) from check_statuses) as rows`,
      ),
    ).toEqual({ rows: 0 });
  });

  test("refuses a bad document with the place of every problem", async () => {
    const reply = await dryRun(
      "apiVersion: canaries.flanksource.com/v1\nkind: Canary\nmetadata:\n  name: x\nspec:\n  tcp:\n  - name: a\n    endpoint: nowhere\n",
    );
    expect(reply.status).toBe(400);
    expect(reply.json.issues).toEqual([
      expect.objectContaining({ path: "spec.tcp.0.endpoint", line: 8, column: 15 }),
    ]);
  });

  test("of too many checks is refused", async () => {
    const tcp = Array.from({ length: 101 }, (_, index) => ({
      name: `c${index}`,
      endpoint: "127.0.0.1:1",
    }));
    expect((await dryRun(document({ tcp }))).json.error).toMatch(/at most 100/);
  });
});

test.each<[Role, boolean]>([
  ["admin", true],
  ["editor", true],
  ["commander", true],
  ["responder", true],
  ["viewer", false],
])("a %s may run a check: %s", (role, isAllowed) => {
  const ctx = app.app.ctx.as({
    kind: "person",
    id: "",
    name: "",
    email: null,
    roles: [role],
    sessionId: "",
  });
  const run = () => requireRun(ctx);
  if (isAllowed) expect(run).not.toThrow();
  else expect(run).toThrow(/permission to run/);
});

test.each<[Role, boolean]>([
  ["editor", true],
  ["responder", false],
  ["viewer", false],
])("a %s may save documents: %s", async (role, isAllowed) => {
  const ctx = app.app.ctx.as({
    kind: "person",
    id: "",
    name: "",
    email: null,
    roles: [role],
    sessionId: "",
  });
  const error = await saveDocuments(ctx, [canaryKind], { text: "", source: "test" }).catch(
    (reason: Error) => reason,
  );
  expect((error as { code?: string }).code).toBe(isAllowed ? "invalid" : "forbidden");
});

test("calls of one address are limited, and the limit ends with its minute", () => {
  let now = 0;
  const limit = createCallLimit(() => now);
  for (let call = 0; call < 6_000; call++) limit.count("a");
  expect(() => limit.count("a")).toThrow(/Too many/);
  expect(() => limit.count("b")).not.toThrow();
  now = 60_001;
  expect(() => limit.count("a")).not.toThrow();
});

describe("checker-only", () => {
  test("shows the health page to everybody and changes nothing", async () => {
    const checker = await startTestApp({ checkerOnly: true });
    try {
      expect((await checker.nobody.get("/api/canary/api/summary")).status).toBe(200);
      expect((await checker.nobody.get("/api/canary/about")).json).toMatchObject({
        checkerOnly: true,
        readOnly: true,
      });
      expect((await checker.nobody.get("/api/db/checks?limit=1")).status).toBe(200);
      const attempts = await Promise.all([
        checker.nobody.post("/api/db/canaries", { name: "x", spec: { tcp: [] } }),
        checker.nobody.post("/api/canary/documents", { text: document({ tcp: [] }) }),
        checker.nobody.post("/api/canary/run/document", { document: document({ tcp: [] }) }),
        checker.nobody.post("/api/canary/run/check/00000000-0000-4000-8000-000000000000"),
        checker.nobody.post("/api/canary/beat-url/00000000-0000-4000-8000-000000000000"),
      ]);
      expect(attempts.map((reply) => reply.status)).toEqual([403, 403, 403, 403, 403]);
    } finally {
      await checker.stop();
    }
  });

  test("with writing lets everybody run and edit", async () => {
    const checker = await startTestApp({ checkerOnly: true, checkerWrite: true });
    try {
      const saved = await checker.nobody.post("/api/canary/documents", {
        text: document({ schedule: "@never", http: [{ name: "h", url }] }),
      });
      expect(saved.status, saved.text).toBe(200);
      const check = await checker.db.first<{ id: string }>(sql`select id from checks`);
      expect((await checker.nobody.post(`/api/canary/run/check/${check!.id}`)).json).toMatchObject({
        pass: true,
      });
    } finally {
      await checker.stop();
    }
  });
});
