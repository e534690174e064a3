import type { CodeLanguage } from "@mainstay/ui/code-view/highlight.ts";

/** What is configured, as it is read. */
export interface ConfigText {
  text: string;
  language: CodeLanguage;
  /** It is made of values, which can be written in more than one way. */
  isStructured: boolean;
}

/** Some formats are kept as they were found. */
interface Content {
  format: string;
  content: string;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isContent = (value: unknown): value is Content =>
  isObject(value) &&
  typeof value["content"] === "string" &&
  typeof value["format"] === "string" &&
  Object.keys(value).length === 2;

const languages: Readonly<Record<string, CodeLanguage>> = {
  json: "json",
  yaml: "yaml",
  yml: "yaml",
};

/** Keys in their order, so that two of them can be compared line by line. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, sorted(value[key])]),
  );
}

/** In the order of `sorted`: objects have names that are whole numbers first. */
const keysOf = (value: object): string[] =>
  Object.keys(
    Object.fromEntries(
      Object.keys(value)
        .toSorted()
        .map((key) => [key, null]),
    ),
  );

const isEmpty = (config: unknown): boolean =>
  config === null ||
  config === undefined ||
  config === "" ||
  (typeof config === "object" && Object.keys(config).length === 0);

/** How long it is written before somebody who has pressed something is heard. */
const turnMs = 30;
/** As deep as that there may be so many values that it takes longer; what lies deeper is written at once. */
const depthInTurns = 3;

/** As `JSON.stringify` writes it, with keys in their order; in turns, because megabytes take a while. */
async function written(value: unknown): Promise<string> {
  let begun = performance.now();
  const write = async (part: unknown, indent: string, depth: number): Promise<string> => {
    const isList = Array.isArray(part);
    if (depth === 0 || (!isList && !isObject(part)))
      return JSON.stringify(sorted(part), undefined, 2).replaceAll("\n", `\n${indent}`);
    const inner = `${indent}  `;
    const lines: string[] = [];
    for (const key of isList ? part.keys() : keysOf(part)) {
      if (performance.now() - begun > turnMs) {
        await new Promise((resolve) => setTimeout(resolve));
        begun = performance.now();
      }
      const name = typeof key === "string" ? `${JSON.stringify(key)}: ` : "";
      const child: unknown = (part as Readonly<Record<string | number, unknown>>)[key];
      lines.push(`${inner}${name}${await write(child, inner, depth - 1)}`);
    }
    const [start, end] = isList ? "[]" : "{}";
    return lines.length === 0
      ? `${start}${end}`
      : `${start}\n${lines.join(",\n")}\n${indent}${end}`;
  };
  return write(value, "", depthInTurns);
}

/** Nothing where nothing is configured. */
export async function configText(config: unknown): Promise<ConfigText | undefined> {
  if (isEmpty(config)) return undefined;
  if (typeof config === "string") return { text: config, language: "text", isStructured: false };
  if (isContent(config))
    return {
      text: config.content,
      language: languages[config.format.toLowerCase()] ?? "text",
      isStructured: false,
    };
  return {
    text: await written(config),
    language: "json",
    isStructured: true,
  };
}
