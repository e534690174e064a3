import type { BeforeWrite, InputRow } from "@mainstay/data-api";
import sql from "sql-template-tag";
import { conflict, invalid } from "#platform/errors.ts";
import type { WriteContext } from "#platform/table.ts";
import { refuseSecrets } from "./refuse-secrets.ts";

const MAX_NAME_LENGTH = 128;
const MAX_ICON_LENGTH = 256;
const MAX_SOURCE_LENGTH = 1024;
const MAX_SPEC_LENGTH = 256 * 1024;

/** Judges teams before they are written. An update may hold a part of the row only. */
export async function checkTeams({
  verb,
  rows,
  context,
}: BeforeWrite<WriteContext>): Promise<InputRow[]> {
  const { actor } = context.ctx;
  const checked: InputRow[] = [];
  for (const row of rows) {
    const team: InputRow = verb === "insert" ? { name: undefined, ...row } : { ...row };
    if ("name" in team) team.name = checkName(team.name);
    checkText(team, "icon", MAX_ICON_LENGTH);
    checkText(team, "source", MAX_SOURCE_LENGTH);
    checkSpec(team.spec);
    // Who acts is known here; what the body says about it is not believed.
    delete team.created_by;
    if (verb === "insert" && actor.kind === "person") team.created_by = actor.id;
    if (typeof team.name === "string") await refuseTwin(team.name, context);
    checked.push(team);
  }
  return checked;
}

function checkName(name: unknown): string {
  const text = typeof name === "string" ? name.trim().normalize() : "";
  if (text === "" || text.length > MAX_NAME_LENGTH || /\p{Cc}/u.test(text)) {
    const message = `name must be a text of 1 to ${MAX_NAME_LENGTH} characters in one line.`;
    throw invalid(message, [{ path: "name", message }]);
  }
  return text;
}

function checkText(row: InputRow, column: string, max: number): void {
  const value = row[column];
  if (value === undefined || value === null) return;
  if (typeof value === "string" && value.length <= max) return;
  const message = `${column} must be a text of at most ${max} characters.`;
  throw invalid(message, [{ path: column, message }]);
}

function checkSpec(spec: unknown): void {
  if (spec === undefined || spec === null) return;
  const isMapping = typeof spec === "object" && !Array.isArray(spec);
  if (isMapping) refuseSecrets(spec);
  if (isMapping && JSON.stringify(spec).length <= MAX_SPEC_LENGTH) return;
  const message = `spec must be a mapping of at most ${MAX_SPEC_LENGTH / 1024} KiB.`;
  throw invalid(message, [{ path: "spec", message }]);
}

async function refuseTwin(name: string, { tx, query }: WriteContext): Promise<void> {
  const twin = await tx.first<{ id: string }>(
    sql`select id from teams where name = ${name} and deleted_at is null`,
  );
  // A team that is edited may keep its name.
  if (!twin || new URLSearchParams(query).get("id")?.toLowerCase() === `eq.${twin.id}`) return;
  throw conflict(`There is already a team called "${name}". Choose another name.`);
}
