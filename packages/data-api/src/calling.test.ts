import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDataApi } from "./engine.ts";
import { asker, openZoo, undone, type Zoo } from "./testing/zoo.ts";

let zoo: Zoo;
let ask: ReturnType<typeof asker<object>>;

beforeAll(async () => {
  zoo = await openZoo();
  const api = createDataApi({ pool: zoo.pool, tables: "all", errors: "whole" });
  await api.ready();
  ask = asker<object>(api, undone(zoo.pool, {}));
});

afterAll(() => zoo.close());

const answered = async (asked: Parameters<typeof ask>[0]) => {
  const { status, body, headers } = await ask(asked);
  return { status, body: body?.replaceAll(/\s*\n\s*/g, "").replaceAll(", {", ",{"), headers };
};

describe("arguments of a query string", () => {
  test.for<[string, string]>([
    ["greet?name=Ann", '"Hello, Ann"'],
    ["greet?name=Ann&greeting=Hi", '"Hi, Ann"'],
    ["greet?name=Ann&name=Bob", '"Hello, Bob"'],
    ["sum_of?numbers={1,2,3}", "6"],
    ["joined?words=a&words=b", '"a-b"'],
    ["joined?words={a,b}", '"{a,b}"'],
    ["joined", '""'],
    ["in_and_out?a=3", '{"a":3,"c":6}'],
    ["one_out", '{"a":5}'],
    ["same_out?a=1", '{"a":2}'],
    ["table_of_one?n=gt.1", '[{"n":2}]'],
    ["a_record", '{"one":1,"two":"x"}'],
    ["records", '[{"n":1,"t":"x"},{"n":2,"t":"y"}]'],
    ["points?select=y&order=y.desc", '[{"y":4},{"y":2}]'],
    ["limited", '"5s"'],
    ["odd name?the arg=5", "5"],
  ])("%s", async ([name, body]) => {
    expect(await answered({ url: `rpc/${name}` })).toMatchObject({ status: 200, body });
  });
});

describe("bodies", () => {
  test.for<[string, string, string, string]>([
    ["greet", "application/json", '{"name":"Ann"}', '"Hello, Ann"'],
    ["greet", "application/json", '[{"name":"Ann"},{"name":"Bob"}]', '"Hello, Ann"'],
    ["greet?columns=name", "application/json", '{"name":"Ann","other":1}', '"Hello, Ann"'],
    ["greet", "text/csv", "name,greeting\nAnn,Hi\n", '"Hi, Ann"'],
    ["greet", "application/x-www-form-urlencoded", "name=Ann+B", '"Hello, Ann B"'],
    ["joined", "application/x-www-form-urlencoded", "words=a&words=b", '"a-b"'],
    ["joined", "application/json", '{"words":["a","b\\"c"]}', '"a-b\\"c"'],
    ["listed", "application/json", '{"docs":[{"a":1},[2],"x",null]}', "4"],
    ["sum_of", "application/json", '{"numbers":[1,2]}', "3"],
    ["sum_of", "application/json", '{"numbers":"{1,2}"}', "3"],
    ["given_json", "application/json", '{"a":1.10}', '{"a":1.10}'],
    ["echo_json", "application/json", '{"value":9007199254740993.10}', "9007199254740993.10"],
    ["given_text", "text/plain", "a text", '"a text"'],
    ["given_xml", "text/xml", "<a>1</a>", '"<a>1</a>"'],
    ["given_bytes", "application/octet-stream", "abc", "3"],
    ["either_way", "application/json", '{"a":1}', '"named"'],
    ["either_way", "application/json", '{"b":1}', '"whole"'],
    ["add_thing?select=name", "application/json", '{"thing":"x"}', '[{"name":"x"}]'],
  ])("%s %s %s", async ([name, type, body, expected]) => {
    const headers = { "content-type": type };
    expect(await answered({ method: "POST", url: `rpc/${name}`, headers, body })).toMatchObject({
      status: 200,
      body: expected,
    });
  });

  test("one without a type is JSON", async () => {
    const asked = { method: "POST", url: "rpc/greet", body: '{"name":"Ann"}' };
    expect(await answered(asked)).toMatchObject({ status: 200, body: '"Hello, Ann"' });
  });
});

describe("counting", () => {
  const headers = { prefer: "count=exact" };

  test("what changes something is called once", async () => {
    const asked = { method: "POST", url: "rpc/add_thing", headers, body: { thing: "x" } };
    expect(await answered(asked)).toMatchObject({
      status: 200,
      headers: { "content-range": "0-0/1" },
    });
  });

  test.for(["no_arguments", "a_point", "null_number", "does_nothing"])(
    "%s is one",
    async (name) => {
      const { headers: answer } = await answered({ url: `rpc/${name}`, headers });
      expect(answer["content-range"]).toBe("0-0/1");
    },
  );
});

describe("refusals", () => {
  test.for<[string, string, number, string]>([
    ["GET", "nothing_like_it", 404, "PGRST202"],
    ["GET", "a_procedure", 404, "PGRST202"],
    ["GET", "joined_by?separator=/", 404, "PGRST202"],
    ["GET", "unclear?a=1", 300, "PGRST203"],
    ["GET", "some_texts?select=x", 400, "42703"],
    ["GET", "no_arguments?order=x", 400, "42703"],
    ["GET", "sum_of?numbers=[1]", 400, "22P02"],
    ["GET", "add_thing?thing=x", 405, "25006"],
    ["PUT", "no_arguments", 405, "PGRST101"],
  ])("%s %s", async ([method, name, status, code]) => {
    const response = await ask({ method, url: `rpc/${name}` });
    expect(response.status).toBe(status);
    expect(JSON.parse(response.body ?? "")).toMatchObject({ code });
  });

  test("nothing comes back from a function that returns nothing", async () => {
    const response = await ask({ method: "POST", url: "rpc/does_nothing", body: {} });
    expect(response).toMatchObject({ status: 204, body: undefined });
  });
});
