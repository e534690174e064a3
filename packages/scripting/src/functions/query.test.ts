import { expect, test } from "vitest";
import type { Value } from "../values.ts";
import { jmespath, jq, jsonpath, readyJq, xpath } from "./query.ts";
import cases from "./query.cases.json" with { type: "json" };

interface Case {
  function: string;
  query: string;
  document: Value;
  result?: Value;
  error?: string;
}

const functions: Readonly<Record<string, (query: string, document: Value) => Value>> = {
  jq,
  jmespath,
  jsonpath,
  xpath: (query, document) => xpath(query, document as string),
};

/** Written by hand; an error is the beginning of what is said. */
test.each(cases as Case[])(
  "$function $query",
  async ({ function: name, query, document, result, error }) => {
    await readyJq();
    const run = () => functions[name]!(query, document);
    if (error === undefined) expect(run()).toEqual(result);
    else expect(run).toThrow(error);
  },
);
