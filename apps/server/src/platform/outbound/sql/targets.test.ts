import { expect, test } from "vitest";
import { readMssqlTarget } from "./mssql-target.ts";
import { readMysqlTarget } from "./mysql-target.ts";
import { readPostgresTarget } from "./postgres-target.ts";

test.each([
  [
    "postgres://u:p%40@[::1]/db?sslmode=verify-full",
    { host: "::1", port: 5432, user: "u", password: "p@", database: "db", ssl: "verify-full" },
  ],
  [
    "host=h user=u password='a b' dbname=d",
    { host: "h", port: 5432, user: "u", password: "a b", database: "d", ssl: "prefer" },
  ],
  ["nonsense", undefined],
  ["postgres://a:b:c:d/x", undefined],
])("PostgreSQL: %s", (url, target) => {
  expect(readPostgresTarget({ url })).toEqual(target);
});

test.each([
  [
    "u:p@w:x@tcp([::1]:3307)/db?tls=skip-verify",
    { host: "::1", port: 3307, user: "u", password: "p@w:x", database: "db", tls: "unverified" },
  ],
  [
    "tcp(h)/",
    {
      host: "h",
      port: 3306,
      user: undefined,
      password: undefined,
      database: undefined,
      tls: "off",
    },
  ],
  [
    "mysql://u@h/d?ssl-mode=VERIFY_IDENTITY",
    { host: "h", port: 3306, user: "u", password: undefined, database: "d", tls: "verified" },
  ],
  ["nonsense", undefined],
])("MySQL: %s", (url, target) => {
  expect(readMysqlTarget({ url })).toEqual(target);
});

test.each([
  [
    "sqlserver://u:p%40@[::1]:1434?database=db&encrypt=true",
    {
      host: "::1",
      port: 1434,
      user: "u",
      password: "p@",
      database: "db",
      encrypt: "on",
      trusts: false,
    },
  ],
  [
    'Server=tcp:h,1434;Uid=u;Pwd="a;b""c";Database=d;Encrypt=strict;TrustServerCertificate=yes;',
    {
      host: "h",
      port: 1434,
      user: "u",
      password: 'a;b"c',
      database: "d",
      encrypt: "strict",
      trusts: true,
    },
  ],
  [
    "server=.;user id=sa;password=x;encrypt=disable",
    {
      host: "localhost",
      port: 1433,
      user: "sa",
      password: "x",
      database: undefined,
      encrypt: "off",
      trusts: true,
    },
  ],
  [
    "server=h\\X,99;user id=sa",
    {
      host: "h",
      port: 99,
      user: "sa",
      password: undefined,
      database: undefined,
      encrypt: "prefer",
      trusts: true,
    },
  ],
])("SQL Server: %s", (url, target) => {
  expect(readMssqlTarget({ url })).toEqual(target);
});
