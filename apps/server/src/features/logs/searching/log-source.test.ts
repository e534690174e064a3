import { expect, test } from "vitest";
import { type Asked, chooseSources, type LogSource } from "./log-source.ts";

const source = (name: string, ...routes: LogSource["routes"][number][]) =>
  ({ name, routes }) as unknown as LogSource;
const route = (more: Partial<LogSource["routes"][number]>) => ({
  id_prefix: undefined,
  is_additive: undefined,
  ...more,
});

test.each<[string, Partial<Asked>, string[]]>([
  ["a type, one of several", { type: "nginx" }, ["any", "web"]],
  ["a type that is left out", { type: "db-old" }, ["any", "rest"]],
  ["the beginning of an id, additive", { type: "x", externalId: "es-1" }, ["any", "es", "rest"]],
  ["labels with wildcards", { labels: { name: "shop-1" } }, ["any", "shop"]],
  ["a label that is left out", { labels: { name: "shop-demo" } }, ["any", "rest"]],
])("%s", (_name, asked, names) => {
  const sources = [
    source("any"),
    source("es", route({ id_prefix: "es-", is_additive: true })),
    source("web", route({ type: "nginx, apache" })),
    source("db", route({ type: "db*,!db-old" })),
    source("shop", route({ labels: { name: "shop-*,!shop-demo" } })),
    source("rest"),
  ];
  expect(chooseSources(sources, { labels: {}, ...asked }).map(({ name }) => name)).toEqual(names);
});
