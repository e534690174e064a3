import { analysisTypes, changeSeverities, insightSeverities, insightStatuses } from "../catalog.ts";

/** What can be said of the fields of a kind: what completion offers and help explains. The server knows the same ones. */

export interface SearchField {
  name: string;
  /** Other names of it. */
  aliases?: readonly string[];
  /** Which operators and values it takes; `key` stands for all keys of a map, as `tag:cluster`. */
  kind: "text" | "number" | "moment" | "words" | "level" | "key";
  says: string;
  /** All that it can be, where these are few and fixed. */
  values?: readonly string[];
  /** As it stands in a search. */
  example: string;
}

const moments = ["now-1h", "now-1d", "now-7d", "now-30d"] as const;

/** Of items of the catalog. */
export const itemSearchFields: readonly SearchField[] = [
  {
    name: "type",
    aliases: ["config_type"],
    kind: "text",
    says: "What it is; the part after the last :: is enough",
    example: "type=Kubernetes::Pod",
  },
  { name: "name", kind: "text", says: "Its name", example: "name*=api" },
  { name: "namespace", kind: "text", says: "The namespace it is in", example: "namespace=shop" },
  {
    name: "health",
    kind: "text",
    says: "How it is",
    values: ["healthy", "warning", "unhealthy", "unknown"],
    example: "health!=healthy",
  },
  { name: "status", kind: "text", says: "What its source says of it", example: "status=Running" },
  { name: "tag", kind: "key", says: "A tag", example: "tag:cluster=prod" },
  { name: "label", kind: "key", says: "A label", example: "label:app=api" },
  {
    name: "text",
    kind: "text",
    says: "Anywhere in name, type, description or namespace, like a word by itself",
    example: 'text="order service"',
  },
  {
    name: "updated",
    aliases: ["updated_at"],
    kind: "moment",
    says: "When what is configured changed last",
    values: moments,
    example: "updated>now-2h",
  },
  {
    name: "created",
    aliases: ["created_at"],
    kind: "moment",
    says: "When it was made",
    values: moments,
    example: "created>now-1d",
  },
  {
    name: "deleted",
    aliases: ["deleted_at"],
    kind: "moment",
    says: "When it was deleted; deleted items are shown where the preferences do not hide them",
    values: moments,
    example: "deleted>now-7d",
  },
  {
    name: "changed",
    kind: "moment",
    says: "When its last recorded change was",
    values: moments,
    example: "changed>now-1h",
  },
  {
    name: "changes",
    kind: "number",
    says: "How many changes it had in 30 days",
    values: ["0"],
    example: "changes>10",
  },
  {
    name: "insights",
    kind: "number",
    says: "How many open insights it has",
    values: ["0"],
    example: "insights>0",
  },
  {
    name: "insight",
    kind: "text",
    says: "The type of an open insight",
    example: "insight=security",
  },
  {
    name: "severity",
    kind: "text",
    says: "The severity of an open insight",
    values: changeSeverities,
    example: "severity=critical,high",
  },
  {
    name: "cost",
    aliases: ["cost_1d", "cost_7d", "cost_30d"],
    kind: "number",
    says: "What it cost in 30 days; cost_1d and cost_7d in one and seven",
    values: ["100"],
    example: "cost>100",
  },
  {
    name: "owner",
    kind: "text",
    says: "Who answers for it, by its labels, tags, annotations and properties",
    example: "owner=payments",
  },
  {
    name: "has",
    kind: "words",
    says: "Whether there are any",
    values: ["changes", "insights", "owner", "cost"],
    example: "has:insights",
  },
  {
    name: "is",
    kind: "words",
    says: "What is so",
    values: ["unowned", "owned", "deleted"],
    example: "is:unowned",
  },
  {
    name: "agent",
    aliases: ["agent_id"],
    kind: "text",
    says: "The agent it comes from, by name or id; self for this server",
    values: ["self"],
    example: "agent=berlin",
  },
  {
    name: "external_id",
    aliases: ["external"],
    kind: "text",
    says: "Its id where it comes from",
    example: "external_id=i-0abc*",
  },
  { name: "source", kind: "text", says: "Where it is defined", example: "source=*git*" },
  {
    name: "id",
    kind: "text",
    says: "Its id here",
    example: "id=0190a0b4-0000-7000-8000-000000000001",
  },
  {
    name: "property",
    kind: "key",
    says: "A property; any other name is looked up among the properties, too",
    example: "property:cpu>250",
  },
];

/** Of the item that a change or an insight is about. */
const fieldsOfItem: readonly SearchField[] = [
  { name: "name", kind: "text", says: "The name of its item", example: "name*=api" },
  {
    name: "config_type",
    kind: "text",
    says: "The type of its item; the part after the last :: is enough",
    example: "config_type=Kubernetes::Pod",
  },
  {
    name: "namespace",
    kind: "text",
    says: "The namespace of its item",
    example: "namespace=shop",
  },
  { name: "tag", kind: "key", says: "A tag of its item", example: "tag:cluster=prod" },
  {
    name: "config",
    kind: "key",
    says: "Any field of its item, as the catalog is searched by it",
    example: "config:health=unhealthy",
  },
  {
    name: "agent",
    aliases: ["agent_id"],
    kind: "text",
    says: "The agent its item comes from, by name or id; self for this server",
    values: ["self"],
    example: "agent=berlin",
  },
  {
    name: "config_id",
    kind: "text",
    says: "The id of its item",
    example: "config_id=0190a0b4-0000-7000-8000-000000000001",
  },
  {
    name: "id",
    kind: "text",
    says: "Its id",
    example: "id=0190a0b4-0000-7000-8000-000000000001",
  },
];

/** Of changes. */
export const changeSearchFields: readonly SearchField[] = [
  {
    name: "type",
    aliases: ["change_type"],
    kind: "text",
    says: "What kind of change it is",
    example: "type=diff",
  },
  {
    name: "severity",
    kind: "level",
    says: "How much it matters",
    values: changeSeverities,
    example: "severity>=high",
  },
  {
    name: "by",
    aliases: ["created_by"],
    kind: "text",
    says: "Who made it, by name or address; the first name is enough",
    example: "by=vera",
  },
  { name: "source", kind: "text", says: "What told of it", example: "source=*events" },
  { name: "summary", kind: "text", says: "What it says in short", example: "summary*=image" },
  {
    name: "text",
    kind: "text",
    says: "Anywhere in the summary, like a word by itself",
    example: 'text="image pull"',
  },
  {
    name: "created",
    aliases: ["created_at"],
    kind: "moment",
    says: "When it happened, within the range of the page",
    values: moments,
    example: "created>now-2d",
  },
  {
    name: "first_observed",
    aliases: ["first"],
    kind: "moment",
    says: "When it was seen for the first time",
    values: moments,
    example: "first_observed>now-1d",
  },
  {
    name: "count",
    kind: "number",
    says: "How often it was seen",
    values: ["1"],
    example: "count>5",
  },
  ...fieldsOfItem,
];

/** Of insights. */
export const insightSearchFields: readonly SearchField[] = [
  {
    name: "type",
    aliases: ["analysis_type"],
    kind: "text",
    says: "What it is about",
    values: analysisTypes,
    example: "type=security",
  },
  {
    name: "severity",
    kind: "level",
    says: "How much it matters",
    values: insightSeverities,
    example: "severity>=high",
  },
  {
    name: "status",
    kind: "text",
    says: "Whether it is still so",
    values: insightStatuses,
    example: "status=open",
  },
  { name: "analyzer", kind: "text", says: "What found it", example: "analyzer*=trivy" },
  { name: "source", kind: "text", says: "Where its analyzer runs", example: "source=*audit*" },
  { name: "summary", kind: "text", says: "What it says in short", example: "summary*=image" },
  {
    name: "text",
    kind: "text",
    says: "Anywhere in summary, message or analyzer, like a word by itself",
    example: 'text="out of date"',
  },
  {
    name: "first_observed",
    aliases: ["first"],
    kind: "moment",
    says: "When it was seen for the first time",
    values: moments,
    example: "first_observed>now-7d",
  },
  {
    name: "last_observed",
    aliases: ["last"],
    kind: "moment",
    says: "When it was seen last",
    values: moments,
    example: "last_observed<now-1d",
  },
  ...fieldsOfItem,
];

/** The field that a name stands for, whichever of its names it is; of a key the map. */
export function fieldCalled(fields: readonly SearchField[], name: string): SearchField | undefined {
  const map = /^(tag|label|propert(?:y|ies)|config)s?[.:]/.exec(name)?.[1];
  const called = map === undefined ? name : map.startsWith("propert") ? "property" : map;
  return fields.find(
    (field) =>
      (field.kind === "key") === (map !== undefined) &&
      (field.name === called || field.aliases?.includes(called)),
  );
}
