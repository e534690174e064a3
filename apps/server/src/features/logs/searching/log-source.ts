import { isInMatchList, parseMatchList } from "@mainstay/contract";
import type { ListedBackend } from "../documents/list-backends.ts";
import type { LinesQuestion } from "../backends/log-backend.ts";

/** What is asked for lines: a backend that is set up, or the server's own store. */
export type LogSource = Omit<ListedBackend, "type"> & { type: string };
type LogRoute = LogSource["routes"][number];

export type Asked = Pick<LinesQuestion, "labels" | "type" | "externalId">;

/** Whether a text is one of a list with `*` and `!`, after commas. */
const isOneOf = (patterns: string, text: string): boolean =>
  isInMatchList(parseMatchList(patterns), text);

const matches = (route: LogRoute, { type, externalId, labels }: Asked): boolean =>
  (!route.type || (type !== undefined && isOneOf(route.type, type))) &&
  (!route.id_prefix || externalId?.startsWith(route.id_prefix) === true) &&
  Object.entries(route.labels ?? {}).every(
    ([name, patterns]) => Object.hasOwn(labels, name) && isOneOf(patterns, labels[name]!),
  );

/** Those that a question is for, in their order; a route that matches and is not additive ends the list. */
export function chooseSources(sources: readonly LogSource[], asked: Asked): LogSource[] {
  const chosen: LogSource[] = [];
  for (const source of sources) {
    const route = source.routes.find((one) => matches(one, asked));
    if (source.routes.length > 0 && !route) continue;
    chosen.push(source);
    if (route && !route.is_additive) break;
  }
  return chosen;
}
