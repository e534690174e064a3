import { ApiError } from "../errors.ts";

/** What an answer looks like. */
export interface Shape {
  kind: "array" | "object" | "csv" | "openapi" | "raw";
  /** Keys whose value is null are left out. */
  stripped: boolean;
  /** For `raw`: what the value is, and whether it is bytes. */
  media?: { type: string; isBinary: boolean };
  /** The answer is the database's plan for making it. */
  plan?: PlanRequest;
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
  /** What the called function makes. */
  own?: NonNullable<Shape["media"]>;
}

interface Wanted {
  type: string;
  parameters: Map<string, string>;
  quality: number;
}

/** The shape of answer that `Accept` asks for most. */
export function parseAccept(header: string | undefined, allowed: MediaTypes): Shape {
  const array: Shape = { kind: allowed.openApi ? "openapi" : "array", stripped: false };
  if (header === undefined || header.trim() === "") return array;
  const wanted = splitOutsideQuotes(header, ",")
    .map(readType)
    .filter(({ quality }) => quality > 0)
    .sort((left, right) => right.quality - left.quality);
  for (const one of wanted) {
    const shape = shapeOf(one, allowed);
    if (shape) return shape;
  }
  const shown = splitOutsideQuotes(header, ",").map(readType).map(nameOf);
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
  const { own } = allowed;
  if (own && (own.type === type || own.type === "*/*"))
    return { kind: "raw", stripped: false, media: own };
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
      return allowed.plan ? planShape("text", parameters, allowed.plan) : undefined;
    case "application/vnd.pgrst.plan+json":
      return allowed.plan ? planShape("json", parameters, allowed.plan) : undefined;
    default:
      return undefined;
  }
}

function planShape(
  format: PlanRequest["format"],
  parameters: Map<string, string>,
  told: "steps" | "whole",
): Shape {
  const of = parameters.get("for") ?? "application/json";
  const inner = shapeOf(readType(of), { plan: false, openApi: false });
  const asked = (parameters.get("options") ?? "").split("|").map((option) => option.trim());
  const costs = told === "whole";
  const options = planOptions.filter((option) => costs && asked.includes(option));
  return {
    kind: inner?.kind ?? "array",
    stripped: inner?.stripped ?? false,
    plan: { format, options, costs, of: inner ? of : "application/json" },
  };
}

const nameOf = ({ type, parameters }: Wanted) =>
  [type, ...[...parameters].map(([name, value]) => `${name}=${value}`)].join("; ");

/** Those that PostgREST names with their characters. */
const withCharset = new Set(["text/plain", "text/xml", "application/json"]);

/** `Content-Type` of an answer. */
export function contentTypeOf({ kind, stripped, plan, media }: Shape): string {
  if (media) {
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
