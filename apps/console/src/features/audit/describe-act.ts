import type { AuditChange } from "./queries.ts";

/** What somebody did, as people say it: `invited Vera as viewer`. Made of all the rows that one act has written. */

const listOf = new Intl.ListFormat("en-GB", { type: "conjunction" });
const mostNamed = 3;

/** Tables whose rows are no resource of a kind that people know. */
const nouns: Readonly<Record<string, string>> = {
  people: "user",
  identities: "user",
  properties: "feature flag",
  access_tokens: "access token",
  teams: "team",
  canaries: "health check",
  checks: "check",
  connections: "connection",
  agents: "agent",
  documents: "document",
  topologies: "topology",
  config_notes: "note",
};

const verbs: Readonly<Record<string, string>> = {
  insert: "created",
  update: "changed",
  delete: "deleted",
  dry_run: "tried out",
  run: "ran",
  abort: "aborted",
};

/** What happened to the row, for who reads it: a row with a date of its deletion was deleted. */
export const verbOf = ({ verb, after }: AuditChange): string =>
  verb === "update" && typeof after?.["deleted_at"] === "string"
    ? "deleted"
    : (verbs[verb] ?? verb);

const nameOf = ({ row_name, row_id }: AuditChange) => row_name ?? row_id;

function named(names: readonly string[]): string {
  const distinct = [...new Set(names)];
  const rest = distinct.length - mostNamed;
  return listOf.format(
    rest > 0 ? [...distinct.slice(0, mostNamed), `${rest.toLocaleString()} more`] : distinct,
  );
}

function roleOf({ before, after }: AuditChange): string {
  const role = (after ?? before)?.["v1"];
  return typeof role === "string" ? role : "";
}

function aboutRoles(changes: readonly AuditChange[]): string {
  const given = changes.filter(({ verb }) => verb === "insert").map(roleOf);
  const taken = changes.filter(({ verb }) => verb === "delete").map(roleOf);
  const who = named(changes.map(nameOf));
  if (given.length > 0 && taken.length > 0)
    return `changed the role of ${who} from ${listOf.format(taken)} to ${listOf.format(given)}`;
  return given.length > 0
    ? `made ${who} ${listOf.format(given)}`
    : `took the role ${listOf.format(taken)} from ${who}`;
}

/** `Vera in Database`, as the row is called, without what it is in. */
const memberOf = (change: AuditChange) =>
  nameOf(change).replace(` in ${change.resource_name ?? ""}`, "");

const changedColumns = ({ before, after }: AuditChange) =>
  Object.keys({ ...before, ...after }).filter((name) => name !== "deleted_at");

function aboutRows(changes: readonly AuditChange[]): string {
  const [first] = changes;
  if (!first) return "";
  const noun = nouns[first.table_name] ?? first.table_name.replaceAll("_", " ");
  const did = verbOf(first);
  const many = new Set(changes.map(nameOf)).size > 1 ? "s" : "";
  const what = `${did} ${noun}${many} ${named(changes.map(nameOf))}`;
  const columns = changedColumns(first);
  return did === "changed" && changes.length === 1 && columns.length > 0 && columns.length <= 4
    ? `${what} (${columns.join(", ")})`
    : what;
}

/** The rows of one act, in whatever order. */
export function describeAct(changes: readonly AuditChange[]): string {
  const of = (table: string) => changes.filter(({ table_name }) => table_name === table);
  const roles = of("casbin_rule");
  const people = of("people");
  const invited = people.filter(({ verb }) => verb === "insert");
  if (invited.length > 0) {
    const as = roles.map(roleOf).filter(Boolean);
    const isService = invited.some(
      ({ after }) => after?.["type"] !== undefined && after["type"] !== null,
    );
    return `${isService ? "created the service" : "invited"} ${named(invited.map(nameOf))}${as.length > 0 ? ` as ${listOf.format(as)}` : ""}`;
  }
  // Who is deleted loses everything else with it.
  const deleted = people.filter((change) => verbOf(change) === "deleted");
  if (deleted.length > 0) return `deleted user ${named(deleted.map(nameOf))}`;
  const parts: string[] = [];
  if (roles.length > 0) parts.push(aboutRoles(roles));
  const members = of("team_members");
  const [joined, left] = ["insert", "delete"].map((verb) =>
    members.filter((change) => change.verb === verb),
  );
  if (joined?.[0])
    parts.push(`added ${named(joined.map(memberOf))} to ${joined[0].resource_name ?? "a team"}`);
  if (left?.[0])
    parts.push(`removed ${named(left.map(memberOf))} from ${left[0].resource_name ?? "a team"}`);
  const links = of("identity_codes");
  if (links.length > 0) parts.push(`made a sign-in link for ${named(links.map(nameOf))}`);
  for (const table of ["identity_credentials", "identity_keys"]) {
    const ways = of(table);
    if (ways.length > 0) parts.push(`changed how ${named(ways.map(nameOf))} signs in`);
  }
  const told = [
    "casbin_rule",
    "team_members",
    "identity_codes",
    "identity_credentials",
    "identity_keys",
  ];
  const others = changes.filter(({ table_name }) => !told.includes(table_name));
  const alike = Map.groupBy(others, (change) => `${verbOf(change)} ${change.table_name}`);
  // Checks follow their canary: whoever changed the document did not change them one by one.
  const hasCanary = others.some(({ table_name }) => table_name === "canaries");
  for (const rows of alike.values())
    if (!(hasCanary && rows[0]?.table_name === "checks")) parts.push(aboutRows(rows));
  return [...new Set(parts)].join("; ");
}
