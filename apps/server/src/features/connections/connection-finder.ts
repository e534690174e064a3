import { maskAddress, secretPlaceholder } from "@mainstay/contract";
import type { Evaluator } from "@mainstay/scripting";
import type { Clock } from "#platform/clock.ts";
import type { Config } from "#platform/config.ts";
import type { Queryable } from "#platform/db/database.ts";
import { scriptEvaluator } from "#platform/scripts/evaluator.ts";
import { defineService } from "#platform/service.ts";
import { valueSources } from "#platform/value-sources/create-value-sources.ts";
import type { ValueSources } from "#platform/value-sources/value-sources.ts";
import { type Connection, type ConnectionFinder, ConnectionMissing } from "./connection.ts";
import { hydrate } from "./hydrate.ts";
import { parseReference } from "./parse-reference.ts";
import { findDeleted, findRow, openRow } from "./read-connection.ts";

const keptMs = 30 * 60_000;
/** What was not there, and what stands elsewhere, where nobody says that it has changed. */
const keptBrieflyMs = 5 * 60_000;
const mostKept = 1_000;

interface Kept {
  until: number;
  found: Connection | ConnectionMissing;
}

export interface FinderParts {
  config: Config;
  db: Queryable;
  clock: Clock;
  values: ValueSources;
  evaluator: Pick<Evaluator, "evaluate">;
}

export interface KeepingFinder extends ConnectionFinder {
  /** Nothing that was found before counts any more. */
  forget(): void;
  /** As `find`, whatever was found before. */
  findFresh: ConnectionFinder["find"];
}

export function createConnectionFinder({
  config,
  db,
  clock,
  ...parts
}: FinderParts): KeepingFinder {
  const { values } = parts;
  let kept = new Map<string, Kept>();

  async function look(
    reference: string,
    { namespace, signal }: Parameters<ConnectionFinder["find"]>[1],
  ): Promise<Omit<Kept, "until"> & { keptMs: number }> {
    const own = await values.resolveText(reference, { namespace, ...(signal && { signal }) });
    for (const meaning of parseReference(own, namespace)) {
      const stored =
        meaning.by === "address"
          ? anonymous(meaning.address, namespace)
          : await readStored(meaning);
      if (!stored) continue;
      const asker = { namespace: stored.namespace, ...(signal && { signal }) };
      const { connection, isFromElsewhere } = await hydrate(stored, parts, asker);
      return {
        found: connection,
        keptMs: isFromElsewhere || own !== reference ? keptBrieflyMs : keptMs,
      };
    }
    const missing = new ConnectionMissing(await whyMissing(reference, own, namespace));
    return { found: missing, keptMs: keptBrieflyMs };
  }

  async function whyMissing(reference: string, own: string, namespace: string): Promise<string> {
    for (const meaning of parseReference(own, namespace)) {
      const deleted = meaning.by === "address" ? undefined : await findDeleted(db, meaning);
      if (deleted)
        return `The connection ${deleted.namespace}/${deleted.name} was deleted at ${deleted.deleted_at.toISOString()}: name another, or make it again${meaning.by === "id" ? " and name that" : ""}.`;
    }
    return `There is no connection ${shownReference(reference)}${isNamed(reference) ? ` for the namespace ${namespace}` : ""}: make it, or name another.`;
  }

  const readStored = async (meaning: Parameters<typeof findRow>[1]) => {
    const row = await findRow(db, meaning);
    return row && openRow(config, row);
  };

  return {
    async find(reference, asker) {
      const key = JSON.stringify([asker.namespace, reference]);
      const now = clock.now().getTime();
      const known = kept.get(key);
      const found = known && known.until > now ? known.found : undefined;
      if (found instanceof ConnectionMissing) throw found;
      if (found) return found;
      // What is forgotten meanwhile is not kept: it was read before.
      const into = kept;
      const looked = await look(reference, asker);
      if (into.size >= mostKept) into.clear();
      into.set(key, { found: looked.found, until: now + looked.keptMs });
      if (looked.found instanceof ConnectionMissing) throw looked.found;
      return looked.found;
    },
    forget() {
      kept = new Map();
    },
    async findFresh(reference, asker) {
      const { found } = await look(reference, asker);
      if (found instanceof ConnectionMissing) throw found;
      return found;
    },
  };
}

const isNamed = (reference: string) => /^connection:\/\/[^/]+$/.test(reference.trim());

/** Without a password, and not endless. */
function shownReference(reference: string): string {
  const text = maskAddress(reference.trim()).replaceAll(/:[^:@/]*@/g, `:${secretPlaceholder}@`);
  return `"${text.length > 200 ? `${text.slice(0, 200)}…` : text}"`;
}

/** An address in a document: who logs in may stand in it. */
function anonymous(address: string, namespace: string): Connection {
  const connection: Connection = {
    name: "",
    namespace,
    type: "",
    url: address,
    insecureTls: false,
    properties: {},
  };
  if (!URL.canParse(address)) return connection;
  const { username, password } = new URL(address);
  if (username !== "") connection.username = decoded(username);
  if (password !== "") connection.password = decoded(password);
  return connection;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The connections of this server, for whoever runs something with them. */
export const connectionFinder = defineService("connections", ({ config, db, clock, service }) =>
  createConnectionFinder({
    config,
    db,
    clock,
    values: service(valueSources),
    evaluator: service(scriptEvaluator),
  }),
);
