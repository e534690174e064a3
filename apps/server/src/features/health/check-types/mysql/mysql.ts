import { checkSpecs, type MysqlSpec } from "@mainstay/contract";
import { queryMysql } from "#platform/outbound/sql/mysql.ts";
import { readMysqlTarget } from "#platform/outbound/sql/mysql-target.ts";
import { checkType, failed } from "../check-type.ts";
import { judgeQuery, sqlEndpoint } from "../sql-outcome.ts";

export const mysql = checkType<MysqlSpec>({
  type: "mysql",
  spec: checkSpecs.mysql,
  network: true,
  endpoint: (spec) => sqlEndpoint(readMysqlTarget(spec)),
  async run(input) {
    const target = readMysqlTarget(input.spec);
    if (!target)
      return failed("the url is not a MySQL address such as mysql://user@host:3306/database", {
        invalid: true,
      });
    return judgeQuery(input, (query) => queryMysql(target, query));
  },
});
