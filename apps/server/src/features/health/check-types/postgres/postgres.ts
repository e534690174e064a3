import { checkSpecs, type PostgresSpec } from "@mainstay/contract";
import { queryPostgres } from "#platform/outbound/sql/postgres.ts";
import { readPostgresTarget } from "#platform/outbound/sql/postgres-target.ts";
import { checkType, failed } from "../check-type.ts";
import { judgeQuery, sqlEndpoint } from "../sql-outcome.ts";

export const postgres = checkType<PostgresSpec>({
  type: "postgres",
  spec: checkSpecs.postgres,
  network: true,
  endpoint: (spec) => sqlEndpoint(readPostgresTarget(spec)),
  async run(input) {
    const target = readPostgresTarget(input.spec);
    if (!target)
      return failed(
        "the url is not a PostgreSQL address such as postgres://user@host:5432/database",
        { invalid: true },
      );
    return judgeQuery(input, (query) => queryPostgres(target, query));
  },
});
