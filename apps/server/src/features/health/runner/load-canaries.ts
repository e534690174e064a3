import { defaultSchedule, inOrder, parseSchedule } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import type { Log } from "#platform/log.ts";
import { nextSlot } from "#platform/jobs/slots.ts";
import { type CanaryRow, checkDocument } from "../documents/check-document.ts";
import { type CodeSettings, holdCode } from "../documents/hold-code.ts";
import { isMadeByCheck } from "../documents/made-canaries.ts";
import { CANARY_SLOTS } from "../documents/sync-canary.ts";
import { runTimes } from "../results/result-due.ts";
import type { Config } from "#platform/config.ts";
import type { Opened, Sealer } from "#platform/sealing/sealer.ts";
import { canarySealer } from "../documents/canary-sealer.ts";
import {
  longestRunMs,
  type RunnableCheck,
  runnableCheck,
  type RunnableParts,
} from "./runnable-check.ts";

export interface StoredCheck extends RunnableCheck {
  id: string;
  namespace: string;
  createdAt: Date;
  /** How long after a slot its result may be there. */
  allowanceMs: number;
}

export interface LoadedCanary {
  id: string;
  name: string;
  namespace: string;
  /** The transform of another check made it. */
  isMade: boolean;
  /** Its slots are points of the calendar, at which many canaries come due together. */
  isCron: boolean;
  /** The first slot after a moment; of a canary that is paused, the one that it would have. */
  slotAfter(moment: Date): Date | undefined;
  /** The longest that a run of all its checks takes. */
  longestRunMs: number;
  checks: StoredCheck[];
  /** Checks that are kept and not run, by id. */
  held: Map<string, string>;
}

export interface CanaryLoader {
  /** Those that exist, by id. Documents are read again only when their row has changed. */
  load(ids: readonly string[]): Promise<Map<string, LoadedCanary>>;
}

const KEPT = 20_000;

interface LoaderParts {
  db: Queryable;
  log: Log;
  config: CodeSettings & Pick<Config, "dataDir" | "encryptionKey">;
  /** What the checks are run with. */
  runnable: RunnableParts;
}

/** The only one who opens what is sealed in documents; it stays in the memory of this process. */
export function createCanaryLoader({ db, log, config, runnable }: LoaderParts): CanaryLoader {
  const sealer = canarySealer(config);
  const known = new Map<string, { version: string; canary: LoadedCanary }>();

  return {
    async load(ids) {
      const rows = await db.rows<{ id: string; version: string }>(
        sql`
        select id, xmin::text as version from canaries where id = any(${[...ids]}::uuid[]) and deleted_at is null`,
        { preparedAs: "canary-versions" },
      );
      const changed = rows.filter((row) => known.get(row.id)?.version !== row.version);
      if (changed.length > 0) {
        for (const { version, canary } of await readCanaries(
          { db, log, config, sealer, runnable },
          changed.map((row) => row.id),
        )) {
          if (known.size >= KEPT) known.clear();
          known.set(canary.id, { version, canary });
        }
      }
      const found = new Map<string, LoadedCanary>();
      for (const { id } of rows) {
        const canary = known.get(id)?.canary;
        if (canary) found.set(id, canary);
      }
      return found;
    },
  };
}

type Row = CanaryRow & {
  version: string;
  checks: { id: string; type: string; name: string; created_at: string }[] | null;
};

/** The row and its checks in one statement, so that they belong together. */
async function readCanaries(parts: LoaderParts & { sealer: Sealer }, ids: readonly string[]) {
  const { db } = parts;
  const rows = await db.rows<Row>(sql`
    select c.id, c.name, c.namespace, c.labels, c.annotations, c.spec, c.sealed, c.source, c.deleted_at, c.xmin::text as version,
           (select json_agg(json_build_object('id', k.id, 'type', k.type, 'name', k.name, 'created_at', k.created_at))
              from checks k where k.canary_id = c.id and k.deleted_at is null) as checks
      from canaries c where c.id = any(${[...ids]}::uuid[])`);
  return rows.map((row) => ({ version: row.version, canary: loadedCanary(row, parts) }));
}

function loadedCanary(
  row: Row,
  { log, config, sealer, runnable }: Omit<LoaderParts, "db"> & { sealer: Sealer },
): LoadedCanary {
  const canary: LoadedCanary = {
    id: row.id,
    name: row.name,
    namespace: row.namespace,
    isMade: isMadeByCheck(row.source),
    isCron: false,
    slotAfter: () => undefined,
    longestRunMs: 0,
    checks: [],
    held: new Map(),
  };
  const opened = sealer.open(row.spec, row.sealed);
  const document = checkDocument(row, opened.document);
  if (document.issues) {
    log.error(
      { canary: row.id, issues: document.issues.slice(0, 5) },
      "a stored document has errors; it is not run",
    );
    return canary;
  }
  const { interval, timeZone } = document.spec;
  const schedule =
    document.spec.schedule ?? (interval === undefined ? defaultSchedule : `@every ${interval}s`);
  const parsed = parseSchedule(schedule);
  canary.isCron = parsed.kind === "cron";
  const rule = { kind: CANARY_SLOTS, key: row.id, schedule, timeZone: timeZone ?? null };
  canary.slotAfter = (moment) => nextSlot(rule, moment);
  const ids = new Map((row.checks ?? []).map((check) => [`${check.type}/${check.name}`, check]));
  const found: (Omit<StoredCheck, "allowanceMs"> & { longestMs: number })[] = [];
  const { id, name, namespace } = row;
  const place = {
    canary: { id, name, namespace, labels: row.labels ?? {} },
    intervalMs: parsed.kind === "every" ? parsed.everyMs : undefined,
  };
  for (const check of holdCode(config, document.checks)) {
    const stored = ids.get(`${check.type}/${check.name}`);
    if (!stored) continue;
    if (check.held) canary.held.set(stored.id, check.held);
    else {
      const unopened = whyUnopened(opened, check.spec);
      found.push({
        ...runnableCheck(check, { ...place, checkId: stored.id, unopened }, runnable),
        longestMs: longestRunMs(check, place.intervalMs),
        id: stored.id,
        namespace: check.namespace,
        createdAt: new Date(stored.created_at),
      });
    }
  }
  const times = runTimes(found.map((check) => check.longestMs));
  canary.longestRunMs = times.longestMs;
  canary.checks = inOrder(
    found.map((check, index) => ({ ...check, allowanceMs: times.allowancesMs[index]! })),
  );
  return canary;
}

/** What keeps the secrets of one check from being opened. */
function whyUnopened({ document, failures }: Opened, check: object): string | undefined {
  const failure = failures.find(({ place: { keys } }) => {
    const [type, index] = keys;
    const found = document[type!] as Record<string | number, unknown>;
    return found === check || found[index!] === check;
  });
  return failure && `The stored value of ${failure.place.path} cannot be used: ${failure.message}`;
}
