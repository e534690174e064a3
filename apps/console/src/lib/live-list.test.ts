// @vitest-environment happy-dom
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { fakeApi } from "../testing/fake-api.ts";
import { contains, db, isNull, type Query } from "./db.ts";
import { listOf } from "./live-list.ts";
import { type Change, everything, refreshing } from "./refreshing.ts";

interface Row {
  id: string;
  name: string;
  deleted_at: null;
}

let rows: Row[];
let calls: string[];
let refresh: ReturnType<typeof refreshing>;
let client: QueryClient;

/** Teams as the server finds them by name, in its order, cut into pages and counted. */
function answer(url: URL) {
  const part = /^ilike\.\*(.*)\*$/.exec(url.searchParams.get("name") ?? "")?.[1] ?? "";
  const ids = /^in\.\((.*)\)$/.exec(url.searchParams.get("id") ?? "")?.[1]?.split(",");
  const found = rows
    .filter(({ id, name }) => name.includes(part) && ids?.includes(id) !== false)
    .toSorted((one, other) => one.name.localeCompare(other.name));
  const offset = Number(url.searchParams.get("offset") ?? 0);
  const limit = Number(url.searchParams.get("limit") ?? found.length);
  return {
    body: found.slice(offset, offset + limit),
    headers: { "content-range": `${offset}-/${found.length}` },
  };
}

const row = (id: string, name: string): Row => ({ id, name, deleted_at: null });

beforeEach(() => {
  vi.useFakeTimers();
  rows = [row("1", "shop a"), row("2", "shop b"), row("3", "shop c"), row("9", "bank")];
  ({ calls } = fakeApi({ "GET /api/db/teams": ({ url }) => answer(url) }));
  client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, retry: false } } });
  refresh = refreshing(client);
});
afterEach(() => {
  refresh.stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Opens a list, and gives what it asks for and shows after changes. */
async function open(query: Query<"teams">, as: "page" | "list") {
  const observer = new QueryObserver(client, {
    queryKey: ["teams", as],
    queryFn: (): Promise<unknown> => db[as]("teams", query),
    meta: { tables: ["teams"], list: listOf("teams", query) },
  });
  observer.subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(0);
  return async (...changes: Omit<Change, "table">[]) => {
    calls.length = 0;
    for (const change of changes) refresh({ table: "teams", ...change });
    await vi.advanceTimersByTimeAsync(1_000);
    const isProbe = (call: string) => call.includes("select=id");
    return {
      probes: calls.filter(isProbe).length,
      fetches: calls.filter((call) => !isProbe(call)).length,
      shows: observer.getCurrentResult().data,
    };
  };
}

const shops = { where: { deleted_at: isNull, name: contains("shop") } };
const update = (id: string, ...columns: string[]) => ({
  ids: [id],
  verb: "update" as const,
  columns,
});
const none = { probes: 0, fetches: 0 };
const probed = { probes: 1, fetches: 0 };
const fetched = { probes: 0, fetches: 1 };

describe("a page of a list that is found by something", () => {
  const query: Query<"teams"> = { ...shops, order: ["name.asc"], limit: 2, offset: 0 };

  test("stays where a row that it does not show changes in what decides nothing of it", async () => {
    const after = await open(query, "page");
    expect(await after(update("9", "icon"), update("3", "icon", "updated_at"))).toMatchObject(none);
  });

  test("is asked for again when a row that it shows changes, or goes", async () => {
    const after = await open(query, "page");
    expect(await after(update("2", "icon"))).toMatchObject(fetched);
    rows = rows.filter(({ id }) => id !== "2");
    expect(await after({ ids: ["2"], verb: "delete" })).toMatchObject({
      ...fetched,
      shows: { rows: [row("1", "shop a"), row("3", "shop c")], total: 2 },
    });
  });

  test("asks whether a new row is in it, and takes it where it is", async () => {
    const after = await open(query, "page");
    rows.push(row("10", "another bank"));
    expect(await after({ ids: ["10"], verb: "insert" })).toMatchObject(probed);
    rows.push(row("0", "a shop"));
    expect(await after({ ids: ["0"], verb: "insert" })).toMatchObject({
      probes: 1,
      fetches: 1,
      shows: { rows: [row("0", "a shop"), row("1", "shop a")], total: 4 },
    });
  });

  test("has the right total when a row of another page goes, or is found no more", async () => {
    const after = await open(query, "page");
    rows = rows.map((one) => (one.id === "3" ? row("3", "bakery") : one));
    expect(await after(update("3", "name"))).toMatchObject({ ...fetched, shows: { total: 2 } });
    rows.push(row("4", "shop d"));
    await after({ ids: ["4"], verb: "insert" });
    rows = rows.filter(({ id }) => id !== "4");
    expect(await after({ ids: ["4"], verb: "delete" })).toMatchObject({
      ...fetched,
      shows: { total: 2 },
    });
  });

  test("is asked about many new rows at once, and for itself where they are too many to name", async () => {
    const after = await open(query, "page");
    const others = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ ids: [`n${at}`], verb: "insert" as const }));
    expect(await after(...others(50))).toMatchObject(probed);
    expect(await after(...others(300))).toMatchObject(fetched);
    expect(await after({})).toMatchObject(fetched);
  });

  test("is asked for once when anything may have changed", async () => {
    const after = await open(query, "page");
    calls.length = 0;
    refresh({ table: everything });
    expect(await after(update("1", "icon"))).toMatchObject(fetched);
  });

  test("is asked for where nobody says what became of a row", async () => {
    const after = await open(query, "page");
    expect(await after({ ids: ["9"] })).toMatchObject(fetched);
  });

  test("is asked for where it cannot be asked about", async () => {
    const after = await open(query, "page");
    vi.spyOn(db, "hasAny").mockRejectedValueOnce(new Error("no"));
    expect(await after({ ids: ["10"], verb: "insert" })).toMatchObject(fetched);
  });
});

describe("a list that is shown whole", () => {
  test("asks whether a row that changed has come into it; one that was not in it cannot have left", async () => {
    const after = await open(shops, "list");
    expect(await after(update("9", "name"))).toMatchObject(probed);
    expect(await after({ ids: ["9"], verb: "delete" })).toMatchObject(none);
    rows = rows.map((one) => (one.id === "9" ? row("9", "shop z") : one));
    const { shows, ...asked } = await after(update("9", "name"));
    expect(asked).toEqual({ probes: 1, fetches: 1 });
    expect(shows).toContainEqual(row("9", "shop z"));
  });

  test("has every new row where nothing is left out", async () => {
    const after = await open({ order: ["name.asc"] }, "list");
    rows.push(row("5", "five"));
    expect(await after({ ids: ["5"], verb: "insert" })).toMatchObject(fetched);
  });
});

test("a change that comes while the list is under way has it asked for again", async () => {
  const after = await open(shops, "list");
  const { promise, resolve } = Promise.withResolvers<void>();
  const { routes, calls: late } = fakeApi({
    "GET /api/db/teams": async ({ url }) => {
      const then = answer(url);
      await promise;
      return then;
    },
  });
  void client.refetchQueries();
  await vi.advanceTimersByTimeAsync(0);
  rows = rows.map((one) => (one.id === "9" ? row("9", "shop z") : one));
  routes["GET /api/db/teams"] = ({ url }) => answer(url);
  // It is read already as a row that is not shown: what is under way was read before that.
  const { shows } = await after(update("9", "icon"));
  resolve();
  expect(late).toHaveLength(2);
  expect(shows).toContainEqual(row("9", "shop z"));
});
