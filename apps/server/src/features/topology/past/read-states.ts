import {
  componentPastDays,
  type Health,
  type TopologyMoments,
  type TopologyStates,
  type TopologyTurns,
} from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import { invalid } from "#platform/errors.ts";

/** Components as they were: a row of `component_states` holds from its time until that of the next. */

const dayMs = 24 * 60 * 60_000;
/** What a clock may be ahead of ours. */
const leewayMs = 60_000;

function within(name: string, time: Date, now: Date): void {
  const refused = (message: string) => invalid(message, [{ path: name, message }]);
  if (time.getTime() > now.getTime() + leewayMs)
    throw refused(`${time.toISOString()} is not over yet.`);
  if (time.getTime() < now.getTime() - componentPastDays * dayMs)
    throw refused(
      `It is kept for ${componentPastDays} days how components were: ${time.toISOString()} is before that.`,
    );
}

const firstTime = async (tx: Queryable): Promise<string | null> => {
  const row = await tx.first<{ since: Date | null }>(
    sql`select min(time) as since from component_states`,
  );
  return row?.since?.toISOString() ?? null;
};

interface StateRow {
  id: string;
  health: Health | null;
  status: string | null;
  since: Date;
  is_gone: boolean;
  name: string;
  type: string | null;
  icon: string | null;
  parent_id: string | null;
}

/** Every component as it was at a moment. */
export async function readStates(tx: Queryable, at: Date, now: Date): Promise<TopologyStates> {
  within("at", at, now);
  const rows = await tx.rows<StateRow>(sql`
    select c.id, s.health, s.status, s.time as since, c.deleted_at is not null as is_gone, c.name, c.type, c.icon, c.parent_id
      from components c
     cross join lateral (
       select time, health, status from component_states where component_id = c.id and time <= ${at}
        order by time desc limit 1) s
     where s.health is not null or s.status is not null`);
  return {
    at: at.toISOString(),
    since: await firstTime(tx),
    components: rows.map(({ id, health, status, since, is_gone, name, type, icon, parent_id }) => ({
      id,
      health,
      status,
      since: since.toISOString(),
      ...(is_gone && {
        gone: {
          name,
          ...(type !== null && { type }),
          ...(icon !== null && { icon }),
          ...(parent_id !== null && { parent_id }),
        },
      }),
    })),
  };
}

/** When components turned, counted by steps of time. That one is new or gone, or says another status, is no turn. */
export async function countTurns(
  tx: Queryable,
  { from, to, steps, now }: { from: Date; to: Date; steps: number; now: Date },
): Promise<TopologyMoments> {
  within("from", from, now);
  within("to", to, now);
  if (from >= to) {
    const message = "It is after the end of the range.";
    throw invalid(message, [{ path: "from", message }]);
  }
  const stepMs = Math.max(1000, Math.ceil((to.getTime() - from.getTime()) / steps));
  const rows = await tx.rows<{ step: number; health: Health; turned: number }>(sql`
    select floor(extract(epoch from s.time - ${from}::timestamptz) * 1000 / ${stepMs}::float8)::int as step, s.health, count(*) as turned
      from component_states s
     cross join lateral (
       select p.health from component_states p where p.component_id = s.component_id and p.time < s.time
        order by p.time desc limit 1) before
     where s.time >= ${from} and s.time < ${to} and s.health is not null and before.health is not null
       and s.health <> before.health
     group by 1, 2 order by 1, 2`);
  const turns = new Map<number, TopologyTurns>();
  for (const { step, health, turned } of rows) {
    const one = turns.get(step) ?? { at: new Date(from.getTime() + step * stepMs).toISOString() };
    one[health] = turned;
    turns.set(step, one);
  }
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    stepMs,
    since: await firstTime(tx),
    turns: [...turns.values()],
  };
}
