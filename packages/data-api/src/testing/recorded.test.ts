import { describe, expect, test } from "vitest";
import { callingCorpus } from "./corpus-calling.ts";
import { operatorsCorpus } from "./corpus-operators.ts";
import { readingCorpus } from "./corpus-reading.ts";
import { rolesCorpus } from "./corpus-roles.ts";
import { writingCorpus } from "./corpus-writing.ts";
import { corpus, type CorpusRequest } from "./corpus.ts";
import type { PostgRest, Reply } from "./postgrest.ts";
import { holdAgainst, keyOf, recordedKeys, replay } from "./recorded.ts";

const document: CorpusRequest = { method: "GET", url: "" };
const tables: CorpusRequest = { method: "GET", url: "books?select=id&order=id" };

test.for<[name: string, requests: readonly CorpusRequest[]]>([
  ["document", [document]],
  ["operators", operatorsCorpus],
  ["reading", Object.values(readingCorpus).flat()],
  ["requests", corpus],
  ["roles", Object.values(rolesCorpus).flat()],
  ["writing", [...writingCorpus, ...callingCorpus]],
])("the recording %s holds the answers to its requests and no others", ([name, requests]) => {
  expect(recordedKeys(name).toSorted()).toEqual([...new Set(requests.map(keyOf))].toSorted());
});

test("requests that differ in one part are not the same", () => {
  const request = { method: "GET", url: "books", headers: { accept: "text/csv" }, body: "1" };
  const others = [
    { ...request, method: "PUT" },
    { ...request, url: "book" },
    { ...request, headers: { accept: "*/*" } },
    { ...request, body: "2" },
    { ...request, as: "ann" },
  ];
  expect(new Set([request, ...others].map(keyOf)).size).toBe(6);
});

describe("what is not as it is written down fails", () => {
  const facts = ({ status, body }: Reply) => [status, body];
  const recording = { name: "document", keepsHeader: () => false, facts };
  const answering = (reply: Partial<Reply>): PostgRest => ({
    ask: async () => ({ status: 200, headers: {}, body: "", ...reply }),
    stop: async () => undefined,
  });

  test("a request that nobody recorded", async () => {
    const message = "has no answer to GET books?select=id&order=id, record it: npm run record";
    await expect(replay(recording).ask(tables)).rejects.toThrow(message);
    await expect(holdAgainst(recording, answering({})).ask(tables)).rejects.toThrow(message);
  });

  test("an answer that has changed", async () => {
    const written = await replay(recording).ask(document);
    await expect(holdAgainst(recording, answering(written)).ask(document)).resolves.toEqual(
      written,
    );
    const other = answering({ ...written, status: 201 });
    await expect(holdAgainst(recording, other).ask(document)).rejects.toThrow("out of date");
  });
});
