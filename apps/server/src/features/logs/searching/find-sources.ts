import { ownLogStore } from "@mainstay/contract";
import type { Ctx } from "#platform/context.ts";
import { notFound } from "#platform/errors.ts";
import { listBackends } from "../documents/list-backends.ts";
import { countLines } from "../store/count-lines.ts";
import { readLines } from "../store/read-lines.ts";
import { type Asked, chooseSources, type LogSource } from "./log-source.ts";

const ownStore: LogSource = {
  id: ownLogStore,
  name: "Mainstay",
  type: "store",
  routes: [],
  read: readLines,
  count: countLines,
};

/** Everything that can be asked, the server's own store first. */
export async function listSources(ctx: Ctx): Promise<LogSource[]> {
  return [ownStore, ...(await listBackends(ctx))];
}

/** Whom a question is for. @throws notFound where it names a backend that there is not */
export async function findSources(
  ctx: Ctx,
  {
    backend,
    isOfComponent,
    asked,
  }: { backend?: string | undefined; isOfComponent: boolean; asked: Asked },
): Promise<LogSource[]> {
  if (backend === ownLogStore || (backend === undefined && !isOfComponent)) return [ownStore];
  const all = await listSources(ctx);
  if (backend === undefined) return chooseSources(all, asked);
  const named =
    all.find(({ id }) => id === backend) ??
    all.find(({ name }) => name === backend) ??
    all.find(({ name }) => name.toLowerCase() === backend.toLowerCase());
  if (!named) throw notFound("There is no such log backend.");
  return [named];
}
