import { expect, test } from "vitest";
import { readCatalogQuery } from "./catalog-query.ts";

test.each([
  ["SELECT * FROM config_items", { includeDeleted: true, types: ["*"] }],
  ["select  *\nfrom config_items ;", { includeDeleted: true, types: ["*"] }],
  [
    "SELECT * FROM config_items WHERE config_class = 'Certificate'",
    { includeDeleted: true, fieldSelector: "config_class=Certificate" },
  ],
  [
    "select * from config_items where type='Kubernetes::Pod' and Name = 'web-1' AND deleted_at IS NULL",
    { includeDeleted: false, fieldSelector: "type=Kubernetes::Pod,name=web-1" },
  ],
])("%s means a selector", (query, selector) => {
  expect(readCatalogQuery(query)?.selector).toEqual(selector);
});

test.each([
  "select id from config_items",
  "select * from config_items, people",
  "select * from people",
  "select * from config_items limit 1",
  "select * from config_items where name = 'a' or name = 'b'",
  "select * from config_items where name like 'a%'",
  "select * from config_items where name = 'a,b'",
  "select * from config_items where name = 'a''b'",
  "select * from config_items where name = ''",
  "select * from config_items where config->>'a' = 'b'",
  "select * from config_items; delete from people",
  "select * from config_items where name = 'a'; select 1",
  "select * from config_items -- where",
  "select * from config_items where name = 'a' and name = 'b'",
  `select * from config_items where name = '${"a".repeat(5000)}'`,
  // Of these texts a run of blanks can be divided in ways that nobody lives to see the end of.
  `select * from config_items where${" ".repeat(4000)};x`,
  `select * from config_items where name = 'a'${" ".repeat(1900)}and${" ".repeat(1900)};x`,
  // A selector of fields takes none.
  "select * from config_items where name = 'a b'",
])("%s is not read", (query) => {
  expect(readCatalogQuery(query)).toBeUndefined();
});
