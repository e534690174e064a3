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

const isEmpty = (config: unknown): boolean =>
  config === null ||
  config === undefined ||
  config === "" ||
  (typeof config === "object" && Object.keys(config).length === 0);

/** Nothing where nothing is configured. */
export function configText(config: unknown): ConfigText | undefined {
  if (isEmpty(config)) return undefined;
  if (typeof config === "string") return { text: config, language: "text", isStructured: false };
  if (isContent(config))
    return {
      text: config.content,
      language: languages[config.format.toLowerCase()] ?? "text",
      isStructured: false,
    };
  return {
    text: JSON.stringify(sorted(config), undefined, 2),
    language: "json",
    isStructured: true,
  };
}
