import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";

/** What a client and this server have begun together: a login now; registration, recovery and others by the same table. */
export type FlowKind = "login";
/** Browser flows live on cookies and a CSRF token; API flows refuse both. */
export type FlowType = "browser" | "api";

export interface Flow<State> {
  id: string;
  type: FlowType;
  state: State;
  csrf_hash: string | null;
  return_to: string | null;
  issued_at: Date;
  updated_at: Date;
  expires_at: Date;
}

export const FLOW_LIFESPAN_MS = 60 * 60 * 1000;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const columns = sql`id, type, state, csrf_hash, return_to, issued_at, updated_at, expires_at`;

export async function findFlow<State>(
  db: Queryable,
  kind: FlowKind,
  id: unknown,
): Promise<Flow<State> | undefined> {
  if (typeof id !== "string" || !uuid.test(id)) return undefined;
  return await db.first<Flow<State>>(
    sql`select ${columns} from identity_flows where id = ${id} and kind = ${kind}`,
  );
}

interface NewFlow<State> {
  kind: FlowKind;
  type: FlowType;
  state: State;
  csrfHash: string | null;
  returnTo: string | null;
  now: Date;
}

export async function insertFlow<State>(db: Queryable, flow: NewFlow<State>): Promise<Flow<State>> {
  const { kind, type, state, csrfHash, returnTo, now } = flow;
  const expiresAt = new Date(now.getTime() + FLOW_LIFESPAN_MS);
  const row = await db.first<Flow<State>>(sql`
    insert into identity_flows (kind, type, state, csrf_hash, return_to, issued_at, updated_at, expires_at)
    values (${kind}, ${type}, ${JSON.stringify(state)}::jsonb, ${csrfHash}, ${returnTo}, ${now}, ${now}, ${expiresAt})
    returning ${columns}`);
  return row!;
}

export async function saveFlowState<State>(
  db: Queryable,
  flow: Flow<State>,
  state: State,
  now: Date,
): Promise<Flow<State>> {
  await db.run(sql`
    update identity_flows set state = ${JSON.stringify(state)}::jsonb, updated_at = ${now}
     where id = ${flow.id} and expires_at > ${now}`);
  return { ...flow, state, updated_at: now };
}

/** Ends the flow for good; false when another request has ended it first. */
export async function endFlow(db: Queryable, id: string, now: Date): Promise<boolean> {
  // Not by the time alone: of two requests at once, the later in the database may have looked at the clock earlier.
  const ended = await db.run(sql`
    update identity_flows set expires_at = ${now}, updated_at = ${now}, state = state || '{"ended": true}'
     where id = ${id} and expires_at > ${now} and state ->> 'ended' is null`);
  return ended === 1;
}
