import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { PostgrestClient } from "@supabase/postgrest-js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDataApi } from "./engine.ts";
import { openDeclarations, openZoo, undone, type Zoo } from "./testing/zoo.ts";

let zoo: Zoo;
let server: Server;
let client: PostgrestClient;

beforeAll(async () => {
  zoo = await openZoo();
  const api = createDataApi<object>({ pool: zoo.pool, ...(await openDeclarations(zoo.pool)) });
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, search } = new URL(request.url ?? "/", "http://localhost");
    const { status, headers, body } = await api.handle({
      method: request.method ?? "GET",
      path: decodeURIComponent(pathname).slice("/db/".length),
      query: search.slice(1),
      headers: request.headers,
      body: Buffer.concat(await request.toArray()),
      can: () => true,
      write: undone(zoo.pool, {}),
    });
    response.writeHead(status, headers).end(body);
  };
  server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  client = new PostgrestClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}/db`);
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await zoo.close();
});

test("reads with embeds, filters, order, pages and count", async () => {
  const { data, error, count, status } = await client
    .from("books")
    .select("id, publishers!inner(name), reviews(stars)", { count: "exact" })
    .in("mood", ["ok", "happy"])
    .not("publisher_id", "is", null)
    .or("pages.gt.100,title.ilike.*sea*")
    .order("id", { ascending: false })
    .order("stars", { referencedTable: "reviews" })
    .range(0, 1);
  expect(error).toBeNull();
  expect([status, count]).toEqual([206, 3]);
  expect(data).toEqual([
    { id: 5, publishers: { name: "South" }, reviews: [{ stars: 1 }] },
    { id: 2, publishers: { name: "North" }, reviews: [{ stars: 4 }] },
  ]);
});

test("single, maybeSingle and head", async () => {
  expect((await client.from("books").select("title").eq("id", 1).single()).data).toEqual({
    title: "Sea stories",
  });
  expect((await client.from("books").select().eq("id", 77).maybeSingle()).data).toBeNull();
  expect((await client.from("books").select().single()).error).toMatchObject({ code: "PGRST116" });
  expect((await client.from("books").select("*", { count: "exact", head: true })).count).toBe(5);
});

test("writes and gets the rows back", async () => {
  const inserted = await client
    .from("genres")
    .insert([
      { id: 20, name: "a" },
      { id: 21, name: "b" },
    ])
    .select("id");
  expect([inserted.status, inserted.data]).toEqual([201, [{ id: 20 }, { id: 21 }]]);
  const updated = await client.from("genres").update({ name: "z" }).eq("id", 1).select().single();
  expect(updated.data).toEqual({ id: 1, name: "z" });
  const deleted = await client.from("genres").delete().eq("id", 4).select();
  expect(deleted.data).toEqual([{ id: 4, name: "unused" }]);
  expect((await client.from("genres").delete().eq("id", 1)).error).toMatchObject({ code: "23503" });
});

test("calls functions", async () => {
  expect((await client.rpc("add_numbers", { a: 1, b: 2 })).data).toBe(3);
  expect(
    (await client.rpc("books_of", { publisher: 1 }, { get: true }).select("id").gt("pages", 200))
      .data,
  ).toEqual([{ id: 2 }]);
});

test("errors come through with code and message", async () => {
  const { error, status } = await client.from("books").select("nope");
  expect([status, error]).toMatchObject([
    400,
    { code: "42703", message: "column books.nope does not exist" },
  ]);
});
