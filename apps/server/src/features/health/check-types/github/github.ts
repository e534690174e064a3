import { checkSpecs, type GithubSpec } from "@mainstay/contract";
import { readableAddress } from "#platform/outbound/http/address.ts";
import { askJson, below } from "#platform/outbound/http/ask-json.ts";
import { asObject } from "#platform/outbound/http/read-json.ts";
import { readConnection } from "#platform/outbound/http/read-request.ts";
import { attemptHttp, WrongSpec } from "../attempt-http.ts";
import { type CheckInput, checkType, inMs, passed } from "../check-type.ts";
import { evaluateQuery, judgeColumns, type Row } from "./evaluate-query.ts";
import { parseQuery, type Query } from "./parse-query.ts";
import { columnsOf, rowOf, type Table, tables } from "./tables.ts";

const cloud = "https://api.github.com";
/** Rows of one page, and pages that are read. */
const pageSize = 100;
const mostPages = 10;
/** Rows that are kept and shown. */
const mostShown = 200;

/** How many rows are enough; all of them unless a limit alone decides. */
const enough = ({ where, orderBy, limit, columns }: Query) =>
  where || orderBy.length > 0 || columns.some(({ isCount }) => isCount)
    ? Number.POSITIVE_INFINITY
    : (limit ?? Number.POSITIVE_INFINITY);

async function readRows(
  { spec, signal, connector }: CheckInput<GithubSpec>,
  { query, table }: { query: Query; table: Table },
) {
  const connection = readConnection({ url: spec.url ?? cloud });
  const token = spec.githubToken?.value || spec.password?.value;
  const rows: Row[] = [];
  let elapsedMs = 0;
  for (let page = 1; page <= mostPages; page += 1) {
    const url = below(connection.url, table.path(query.args), [
      ...Object.entries(table.query ?? {}),
      ["per_page", String(pageSize)],
      ["page", String(page)],
    ]);
    const { json, elapsedMs: took } = await askJson(
      {
        ...connection,
        url,
        ...(token && { auth: { kind: "bearer", token } }),
        headers: {
          accept: table.accept ?? "application/vnd.github+json",
          "x-github-api-version": "2022-11-28",
        },
      },
      { signal, connector, what: "GitHub" },
    );
    elapsedMs += took;
    if (!Array.isArray(json)) throw new Error("what answered is no GitHub");
    const own = json.filter((one) => !table.isOther?.(asObject(one)));
    rows.push(...own.map((one) => rowOf(table, one)));
    if (json.length < pageSize || rows.length >= enough(query))
      return { rows, elapsedMs, isCut: false };
  }
  return { rows, elapsedMs, isCut: true };
}

export const github = checkType<GithubSpec>({
  type: "github",
  spec: checkSpecs.github,
  network: true,
  endpoint: (spec) => readableAddress(spec.url ?? cloud),
  run: (input) =>
    attemptHttp(input, async () => {
      const query = parseQuery(input.spec.query);
      const table = Object.hasOwn(tables, query.table) ? tables[query.table] : undefined;
      if (!table)
        throw new WrongSpec(
          `there is no table "${query.table.slice(0, 80)}"; there are ${Object.keys(tables).join(", ")}`,
        );
      judgeColumns(query, columnsOf(table));
      const { rows, elapsedMs, isCut } = await readRows(input, { query, table });
      const found = evaluateQuery(query, rows);
      const cut = isCut ? `, among the first ${rows.length}` : "";
      const count = `${found.length} row${found.length === 1 ? "" : "s"}`;
      return passed(`${count}${cut} in ${inMs(elapsedMs)}`, {
        durationMs: elapsedMs,
        details: { rows: found.slice(0, mostShown), count: found.length },
        data: () => ({ results: found }),
      });
    }),
});
