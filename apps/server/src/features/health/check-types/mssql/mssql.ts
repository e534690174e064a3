import { checkSpecs, type MssqlSpec } from "@mainstay/contract";
import { queryMssql } from "#platform/outbound/sql/mssql.ts";
import { namesInstance, readMssqlTarget } from "#platform/outbound/sql/mssql-target.ts";
import { checkType, failed } from "../check-type.ts";
import { judgeQuery, sqlEndpoint } from "../sql-outcome.ts";

/** Bytes of binary values that are shown. */
const shownBytes = 256;

const shown = (value: unknown) =>
  Buffer.isBuffer(value) ? `0x${value.subarray(0, shownBytes).toString("hex")}` : value;

export const mssql = checkType<MssqlSpec>({
  type: "mssql",
  spec: checkSpecs.mssql,
  network: true,
  endpoint: (spec) => sqlEndpoint(readMssqlTarget(spec)),
  async run(input) {
    const { spec } = input;
    if (namesInstance(spec))
      return failed("the url names an instance; name its port instead, for example host:1433", {
        invalid: true,
      });
    const target = readMssqlTarget(spec);
    if (!target)
      return failed(
        "the url is not an SQL Server address such as sqlserver://user@host:1433?database=db",
        { invalid: true },
      );
    return judgeQuery(input, ({ row, ...query }) =>
      queryMssql(target, {
        ...query,
        row: (found) =>
          row(Object.fromEntries(Object.entries(found).map(([name, one]) => [name, shown(one)]))),
      }),
    );
  },
});
