import { createEvaluator } from "@mainstay/scripting";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { ConnectionMissing } from "../connection.ts";
import { type Preparation, prepareSpec } from "./prepare-spec.ts";
import { specNeeds, type WrittenSpec } from "./spec-needs.ts";

/** How checks are prepared is tried with checks, in health; here is what is another's. */

const evaluator = createEvaluator();
afterAll(() => evaluator.close());

async function prepared(
  spec: WrittenSpec["spec"],
  more: Partial<Preparation<unknown>> & { env?: WrittenSpec["env"] } = {},
) {
  const written: WrittenSpec = {
    noun: "scraper",
    type: "http",
    spec,
    isTemplated: true,
    ownKeys: new Set(["transform"]),
    env: more.env,
  };
  const secrets: string[] = [];
  const result = await prepareSpec(
    {
      written,
      needs: specNeeds(written)!,
      document: { id: "1", name: "shop", namespace: "test", labels: {} },
      namespace: "test",
      seen: { scraper: { name: "http-0" } },
      reaches: () => undefined,
      schema: z.looseObject({ url: z.string().startsWith("https://") }),
      signal: new AbortController().signal,
      ...more,
    },
    {
      evaluator,
      connections: {
        find: (reference) =>
          reference === "connection://test/it"
            ? Promise.resolve({
                name: "it",
                namespace: "test",
                type: "http",
                url: "https://a.example",
                password: "sesame",
                insecureTls: false,
                properties: {},
              })
            : Promise.reject(new ConnectionMissing(`there is no ${reference}`)),
      },
    },
    secrets,
  );
  return { ...result, secrets };
}

test("what is given to templates, and what is left to others", async () => {
  const transform = { expr: "{{ .none }}" };
  const found = await prepared(
    { url: "https://{{ .scraper.name }}.{{ .ZONE }}/{{ .metadata.name }}/{{ last }}", transform },
    {
      env: { ZONE: { value: "example" } },
      answersTo: () => ({ last: "now" as never }),
    },
  );
  expect(found).toMatchObject({
    ok: true,
    spec: { url: "https://http-0.example/shop/now", transform },
  });
});

test("what a connection holds that must not show is told, also where it is refused", async () => {
  const spec = { connection: "connection://test/it" };
  expect(await prepared(spec)).toMatchObject({
    ok: true,
    spec: { url: "https://a.example", password: { value: "sesame" } },
    secrets: ["sesame"],
  });
  const refused = await prepared(spec, { reaches: ({ url }) => url });
  expect(refused).toMatchObject({ ok: false, secrets: ["sesame"] });
});

test.each<[WrittenSpec["spec"], Parameters<typeof prepared>[1], RegExp]>([
  [{ url: "{{ .scraper.name }}" }, {}, /filled in the scraper is wrong: url: /],
  [
    { url: "https://{{ .scraper.name }}" },
    { reaches: ({ url }) => (String(url).includes("http-0") ? "socket" : undefined) },
    /filled in the scraper reaches into the server's own machine/,
  ],
  [
    { url: "https://{{ .ZONE }}" },
    { env: { ZONE: { valueFrom: { fieldRef: { fieldPath: "spec.a" } } } } },
    /is none of a ScrapeConfig/,
  ],
  [{ connection: "connection://none" }, {}, /^connection: there is no connection:\/\/none$/],
])("%j is refused", async (spec, more, error) => {
  const found = await prepared(spec, more);
  expect(found).toMatchObject({ ok: false, error: expect.stringMatching(error) as string });
});
