import { ApiError } from "../errors.ts";

/** What an answer looks like. */
export interface Shape {
  kind: "array" | "object" | "csv" | "openapi" | "raw";
  /** Keys whose value is null are left out. */
  stripped: boolean;
  /** For `raw`: what the answer is. */
  media?: Media;
  /** The answer is the database's plan for making it. */
  plan?: PlanRequest;
}

/** What the database's own code makes: of a media type, and whether it is bytes. */
export interface Media {
  type: string;
  isBinary: boolean;
  /** The aggregate that makes it; without one it is the value that a function returns. */
  by?: { schema: string; name: string; takes: "rows of the table" | "any rows" };
}

export interface PlanRequest {
  format: "text" | "json";
  options: PlanOption[];
  /** With what PostgreSQL thinks it costs. */
  costs: boolean;
  /** The media type whose making is explained, as it was given. */
  of: string;
}

const planOptions = ["analyze", "verbose", "settings", "buffers", "wal"] as const;
export type PlanOption = (typeof planOptions)[number];

export interface MediaTypes {
  /** How much of a plan may be told: its steps, or also what they cost and how they went. */
  plan: false | "steps" | "whole";
  openApi: boolean;
  /** What the database's own code makes of a wanted type, in place of what is made here. */
  own?: (type: string) => Media | undefined;
}

interface Wanted {
  type: string;
  parameters: Map<string, string>;
  quality: number;
}

/** The shape of answer that `Accept` asks for most. */
export function parseAccept(header: string | undefined, allowed: MediaTypes): Shape {
  const accepted = header === undefined || header.trim() === "" ? "*/*" : header;
  // As most clients ask.
  if (allowed.own === undefined && (accepted === "*/*" || accepted === "application/json"))
    return { kind: allowed.openApi ? "openapi" : "array", stripped: false };
  const wanted = splitOutsideQuotes(accepted, ",")
    .map(readType)
    .filter(({ quality }) => quality > 0)
    .sort((left, right) => right.quality - left.quality);
  for (const one of wanted) {
    const shape = shapeOf(one, allowed);
    if (shape) return shape;
  }
  const shown = splitOutsideQuotes(accepted, ",").map(readType).map(nameOf);
  throw new ApiError(
    406,
    "PGRST107",
    `None of these media types are available: ${shown.join(", ")}`,
  );
}

function readType(text: string): Wanted {
  const [type = "", ...rest] = splitOutsideQuotes(text, ";").map((piece) => piece.trim());
  const parameters = new Map(
    rest.map((parameter) => {
      const equals = parameter.indexOf("=");
      const value = parameter.slice(equals + 1).replace(/^"(.*)"$/, "$1");
      return [parameter.slice(0, equals).trim().toLowerCase(), value] as const;
    }),
  );
  const quality = Number(parameters.get("q") ?? 1);
  parameters.delete("q");
  return { type: type.toLowerCase(), parameters, quality: Number.isFinite(quality) ? quality : 1 };
}

function shapeOf({ type, parameters }: Wanted, allowed: MediaTypes): Shape | undefined {
  const stripped = parameters.get("nulls") === "stripped";
  const media = type.startsWith("application/vnd.pgrst.") ? undefined : allowed.own?.(type);
  if (media) return { kind: "raw", stripped: false, media };
  switch (type) {
    case "*/*":
    case "application/*":
      return { kind: allowed.openApi ? "openapi" : "array", stripped: false };
    case "application/json":
      return { kind: allowed.openApi ? "openapi" : "array", stripped: false };
    case "application/openapi+json":
      return allowed.openApi ? { kind: "openapi", stripped: false } : undefined;
    case "application/vnd.pgrst.array":
    case "application/vnd.pgrst.array+json":
      return { kind: "array", stripped };
    case "application/vnd.pgrst.object":
    case "application/vnd.pgrst.object+json":
      return { kind: "object", stripped };
    case "text/csv":
      return { kind: "csv", stripped: false };
    case "application/vnd.pgrst.plan":
    case "application/vnd.pgrst.plan+text":
      return allowed.plan ? planShape("text", parameters, allowed.plan, allowed.own) : undefined;
    case "application/vnd.pgrst.plan+json":
      return allowed.plan ? planShape("json", parameters, allowed.plan, allowed.own) : undefined;
    default:
      return undefined;
  }
}

function planShape(
  format: PlanRequest["format"],
  parameters: Map<string, string>,
  told: "steps" | "whole",
  own: MediaTypes["own"],
): Shape {
  const of = parameters.get("for") ?? "application/json";
  const inner = shapeOf(readType(of), { plan: false, openApi: false, own });
  const asked = (parameters.get("options") ?? "").split("|").map((option) => option.trim());
  const costs = told === "whole";
  const options = planOptions.filter((option) => costs && asked.includes(option));
  return {
    kind: inner?.kind ?? "array",
    stripped: inner?.stripped ?? false,
    media: inner?.media,
    plan: { format, options, costs, of: inner ? of : "application/json" },
  };
}

const nameOf = ({ type, parameters }: Wanted) =>
  [type, ...[...parameters].map(([name, value]) => `${name}=${value}`)].join("; ");

/** Those that PostgREST names with their characters. */
const withCharset = new Set(["text/plain", "text/xml", "application/json"]);

/** `Content-Type` of an answer. */
export function contentTypeOf({ kind, stripped, plan, media }: Shape): string {
  if (media && !plan) {
    if (media.type === "*/*") return "application/octet-stream";
    return withCharset.has(media.type) ? `${media.type}; charset=utf-8` : media.type;
  }
  if (plan) {
    const options = plan.options.length === 0 ? "" : `; options=${plan.options.join("|")}`;
    return `application/vnd.pgrst.plan+${plan.format}; for="${plan.of}"${options}; charset=utf-8`;
  }
  const nulls = stripped ? ";nulls=stripped" : "";
  if (kind === "csv") return "text/csv; charset=utf-8";
  if (kind === "openapi") return "application/openapi+json; charset=utf-8";
  if (kind === "object") return `application/vnd.pgrst.object+json${nulls}; charset=utf-8`;
  return stripped
    ? `application/vnd.pgrst.array+json${nulls}; charset=utf-8`
    : "application/json; charset=utf-8";
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = [];
  let part = "";
  let quoted = false;
  for (const character of text) {
    if (character === '"') quoted = !quoted;
    if (character === separator && !quoted) {
      parts.push(part);
      part = "";
    } else part += character;
  }
  return [...parts, part];
}
