import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";

/** Documents keep what people wrote: through saving, changes by row, and reading again. */

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
});
afterAll(() => app.stop());

const canary = (name: string) => `# Watches the shop; ask Ann.
apiVersion: canaries.flanksource.com/v1
kind: Canary
metadata: { namespace: texts, name: ${name} } # not the store

spec:
    schedule: '@never'   # for now


    http:
    # The front page.
    - url:   https://example.org
      name:  front
`;
const apply = async (text: string, query = "") => {
  const reply = await app.admin.post(`/api/documents${query}`, text, {
    "content-type": "application/yaml",
  });
  expect(reply.status, reply.text).toBe(200);
  return reply.json.documents as { id: string; name: string; outcome: string }[];
};
const textOf = async (id: string) =>
  (await app.admin.get(`/api/documents/canary/${id}?output=yaml`)).text;
/** What a server adds to a text. */
const withId = (text: string, id: string) => text.replace(/ }( # not)/, `, "uid": "${id}" }$1`);
const outcomes = (saved: readonly { outcome: string }[]) => saved.map(({ outcome }) => outcome);

test("a text stays as it was written, through a change of comments alone and one by row", async () => {
  const text = canary("kept");
  const { id } = (await apply(text))[0]!;
  expect(await textOf(id)).toBe(withId(text, id));
  const { json } = await app.admin.get(`/api/documents/canary/${id}`);
  expect(json.text).toBe(withId(text, id));
  expect(outcomes(await apply(text))).toEqual(["unchanged"]);
  // What is shown is applied again without a change.
  expect(outcomes(await apply(await textOf(id)))).toEqual(["unchanged"]);

  const remarked = text.replace("ask Ann", "ask Bob");
  const [dry] = await apply(remarked, "?dryRun=true");
  expect(dry).toMatchObject({ outcome: "updated", changes: [], before: text, after: remarked });
  expect(await textOf(id)).toBe(withId(text, id));
  expect(outcomes(await apply(remarked))).toEqual(["updated"]);
  expect(await textOf(id)).toBe(withId(remarked, id));

  const source = encodeURIComponent("a file, with mainstay apply");
  const patch = await app.admin.patch(`/api/db/canaries?id=eq.${id}`, {
    source: "a file, with mainstay apply",
    spec: { schedule: "@never", http: [{ name: "front", url: "https://example.com", body: "x" }] },
  });
  expect(patch.status, patch.text).toBe(204);
  const changed = withId(remarked, id)
    .replace("example.org", "example.com")
    .replace("  front\n", "  front\n      body: x\n");
  expect(await textOf(id)).toBe(changed);
  const list = await app.admin.get(`/api/documents/canary?source=${source}&output=yaml&name=kept`);
  expect(list.text).toBe(changed);
  // What was changed behind its source's back has drifted, until it is applied again.
  const drifted = async () =>
    (await app.admin.get("/api/documents/canary?drifted=true")).json.documents;
  expect(await drifted()).toMatchObject([{ id, applied: withId(remarked, id), text: changed }]);
  // A list that shows no texts marks it as well.
  const listed = (await app.admin.get("/api/documents/canary")).json.documents;
  expect(
    listed.flatMap((one: { id: string; applied?: string }) => (one.applied ? [one.id] : [])),
  ).toEqual([id]);
  expect(await apply(remarked, "?dryRun=true")).toMatchObject([
    { outcome: "updated", drifted: true },
  ]);
  const same = await apply(changed, "?dryRun=true");
  expect(outcomes(same)).toEqual(["unchanged"]);
  await apply(remarked);
  expect(await drifted()).toEqual([]);
  expect((await app.admin.get("/api/documents/canary")).text).not.toContain('"applied"');
  // No client of rows is told more than before.
  const row = await app.admin.get(`/api/db/canaries?id=eq.${id}`);
  expect(row.text).not.toContain("ask Bob");

  await app.admin.patch(`/api/db/canaries?id=eq.${id}`, { deleted_at: new Date().toISOString() });
  expect(await app.db.rows(sql`select from document_texts where id = ${id}`)).toEqual([]);
});

test("only what is kept elsewhere drifts, and a portion of it is one", async () => {
  const names = ["drift-a", "drift-b", "drift-c"];
  const saved = await apply(names.map(canary).join("---\n"), "?source=ci");
  const ids = saved.map(({ id }) => id);
  await apply(canary("own"), "?source=UI");
  for (const [name, source] of [...names.map((each) => [each, "ci"]), ["own", "UI"]]) {
    const patch = await app.admin.patch(`/api/db/canaries?name=eq.${name}`, {
      source,
      spec: { schedule: "@never", http: [{ name: "front", url: "https://example.com" }] },
    });
    expect(patch.status, patch.text).toBe(204);
  }
  const asked = async (query: string) => {
    const { json } = await app.admin.get(`/api/documents/canary?${query}`);
    return (json.documents as { document: { metadata: { name: string } } }[]).map(
      ({ document }) => document.metadata.name,
    );
  };
  expect(await asked("drifted=true")).toEqual(names);
  expect(await asked("drifted=true&limit=1&offset=1")).toEqual(["drift-b"]);
  expect(await asked(`drifted=true&ids=${ids[2]}`)).toEqual(["drift-c"]);
  const { json } = await app.admin.get("/api/documents/canary?name=own&text=true");
  expect(json.documents).toMatchObject([{ text: expect.stringContaining("example.com") }]);
  expect(json.documents[0]).not.toHaveProperty("applied");
});

test("each document of a text has its part of it; what has no text is in a stable order", async () => {
  const [one, two] = [canary("one"), canary("two").replaceAll("\n", "\r\n")];
  const saved = await apply(`${one}# Behind.\n---\n${two}`);
  const [first, second] = await Promise.all(saved.map(({ id }) => textOf(id)));
  expect(first).toBe(withId(one, saved[0]!.id));
  expect(second).toBe(`# Behind.\n${withId(two, saved[1]!.id)}`);

  const json = { http: [{ url: "https://example.org", name: "front" }], schedule: "@never" };
  const { json: rows } = await app.admin.post(
    "/api/db/canaries",
    { name: "row", spec: json },
    { prefer: "return=representation" },
  );
  const written = await textOf(rows[0].id);
  expect(written.slice(written.indexOf("spec:"))).toBe(
    'spec:\n  schedule: "@never"\n  http:\n    - name: front\n      url: https://example.org\n',
  );
  // What nobody has written is shown in the words of the text that comes: what differs is all that is to be read.
  const coming = canary("row").replace("namespace: texts, ", "");
  const [dry] = await apply(coming.replace("example.org", "example.com"), "?source=UI&dryRun=true");
  expect(dry).toMatchObject({ outcome: "updated", before: coming });
  // JSON that means the same leaves the words that are there.
  const document = (await app.admin.get(`/api/documents/canary/${saved[0]!.id}?output=json`)).text;
  expect(outcomes(await apply(document))).toEqual(["unchanged"]);
  expect(await textOf(saved[0]!.id)).toBe(first);
});
