import { urlParse } from "../functions/conversions.ts";
import * as crypto from "../functions/crypto.ts";
import * as data from "../functions/data.ts";
import { humanDuration, humanSize } from "../functions/human.ts";
import * as paths from "../functions/paths.ts";
import * as regexp from "../functions/regexp.ts";
import * as strings from "../functions/strings.ts";
import * as times from "../functions/time.ts";
import { gotemplate } from "../gotemplate/engine.ts";
import { type Context, Duration, type Value } from "../values.ts";
import { CelMap, type CelValue, fromAnswer, toValue, typeName } from "./cel-values.ts";
import { Mistake } from "./mistake.ts";
import type { FunctionTable } from "./overloads.ts";
import { print } from "./print.ts";

/** Functions that Go templates have as well, called in CEL as methods of their text or value, or by name. */
export function addTextFamilies(globals: FunctionTable, methods: FunctionTable): void {
  globals.addWithRun("f", ["string", "map"], ({ meter }, template, data) => {
    // Templates count their own steps; a few hundred of them are enough for one script.
    meter.step(TEMPLATE_STEPS);
    return print(fromAnswer(gotemplate.compile(template).run(toValue(data) as Context)));
  });
  addData(globals, methods);
  addStrings(globals, methods);
  addPaths(globals);
  addRegexps(globals, methods);
  addEncodings(globals, methods);
}

const TEMPLATE_STEPS = 20_000;

const textsOf = (list: readonly CelValue[]): string[] =>
  list.map((item) => {
    if (typeof item !== "string")
      throw new Mistake(`a list of strings is wanted, and there is a ${typeName(item)} in it`);
    return item;
  });

function addData(globals: FunctionTable, methods: FunctionTable): void {
  const toJson = (value: CelValue, indent?: string) =>
    data.toJson(toValue(value), { escapesHtml: true, indent });
  const listOf = (text: string, read: (text: string) => Value): CelValue => {
    const found = read(text);
    if (!Array.isArray(found)) throw new Mistake("the text has no list");
    return fromAnswer(found);
  };
  const readers: Record<string, (text: string) => CelValue> = {
    JSON: (text) => fromAnswer(data.fromJson(text)),
    JSONArray: (text) => listOf(text, data.fromJson),
    YAML: (text) => fromAnswer(data.fromYaml(text)),
    YAMLArray: (text) => listOf(text, data.fromYaml),
    TOML: (text) => fromAnswer(data.fromToml(text)),
  };
  for (const table of [globals, methods]) {
    for (const [name, read] of Object.entries(readers)) table.add(name, ["text"], read);
    table
      .add("CSV", ["string"], (text) => fromAnswer(data.csv([text])))
      .add("CSV", ["list"], (lines) => fromAnswer(data.csv([textsOf(lines).join("\n")])))
      .add("CSVByRow", ["string"], (text) => fromAnswer(data.csvByRow([text])))
      .add("CSVByColumn", ["string"], (text) => fromAnswer(data.csvByColumn([text])))
      .add("toJSON", ["any"], (value) => toJson(value))
      .add("toJSONArray", ["any"], (value) => toJson(value))
      .add("toJSONPretty", ["any", "string"], toJson)
      .add("toYAML", ["any"], (value) => data.toYaml(toValue(value)))
      .add("toTOML", ["any"], (value) => data.toToml(toValue(value)))
      .add("toCSV", ["list"], (rows) =>
        data.toCsv(toValue(rows), ",", (cell) => print(fromAnswer(cell))),
      );
  }
  globals.add("toJSONPretty", ["string", "any"], (indent, value) => toJson(value, indent));
}

function addStrings(globals: FunctionTable, methods: FunctionTable): void {
  const one: Record<string, (text: string) => string> = {
    camelCase: strings.camelCase,
    kebabCase: strings.kebabCase,
    snakeCase: strings.snakeCase,
    shellQuote: strings.shellQuote,
    squote: strings.squote,
    slug: strings.slug,
    title: strings.title,
    toLower: (text) => text.toLowerCase(),
    toUpper: (text) => text.toUpperCase(),
    quote: (text) => JSON.stringify(text),
  };
  for (const table of [methods, globals]) {
    for (const [name, work] of Object.entries(one)) table.add(name, ["string"], work);
    table
      .add("HumanDuration", ["duration"], humanDuration)
      .add("HumanDuration", ["string"], (text) => humanDuration(durationOfText(text)))
      .add("HumanDuration", ["int"], (nanoseconds) => humanDuration(new Duration(nanoseconds)))
      .add("HumanSize", ["double"], humanSize)
      .add("HumanSize", ["string"], (text) => humanSize(Number(text)));
  }
  methods
    .add("abbrev", ["string", "int"], (text, width) => strings.abbrev(text, Number(width)))
    .add("abbrev", ["string", "int", "int"], (text, offset, width) =>
      strings.abbrev(text, Number(width), Number(offset)),
    )
    .add("indent", ["string"], (text) => strings.indent(text))
    .add("indent", ["string", "int"], (text, width) => strings.indent(text, Number(width)))
    .add("indent", ["string", "string"], (text, by) => strings.indent(text, 1, by))
    .addWithRun("indent", ["string", "int", "string"], ({ meter }, text, width, by) => {
      meter.produce(text.length + text.split("\n").length * Number(width) * by.length);
      return strings.indent(text, Number(width), by);
    })
    .addWithRun("repeat", ["string", "int"], ({ meter }, text, times) => {
      if (times > 0n) meter.produce(text.length * Number(times));
      return strings.repeat(text, Number(times));
    })
    .addWithRun("replaceAll", ["string", "string", "string"], ({ meter }, text, old, by) => {
      meter.produce(text.length + (text.split(old).length + 1) * by.length);
      return strings.replaceAll(text, old, by);
    })
    .add("runeCount", ["string"], (text) => BigInt(strings.runeCount(text)))
    .add("trimPrefix", ["string", "string"], strings.trimPrefix)
    .add("trimSuffix", ["string", "string"], strings.trimSuffix)
    .add("trunc", ["string", "int"], (text, length) => strings.trunc(text, Number(length)))
    .add("wordWrap", ["string"], (text) => strings.wordWrap(text))
    .add("wordWrap", ["string", "int"], (text, width) => strings.wordWrap(text, Number(width)))
    .add("wordWrap", ["string", "int", "string"], (text, width, lineBreak) =>
      strings.wordWrap(text, Number(width), lineBreak),
    );
}

function durationOfText(text: string): Duration {
  const found = times.parseDuration(text, { days: true });
  if (found === undefined) throw new Mistake(`"${text}" is no duration: 1h30m, 7d`);
  return new Duration(found);
}

function addPaths(globals: FunctionTable): void {
  for (const family of ["filepath", "path"])
    globals
      .add(`${family}.Base`, ["string"], paths.base)
      .add(`${family}.Clean`, ["string"], paths.clean)
      .add(`${family}.Dir`, ["string"], paths.dir)
      .add(`${family}.Ext`, ["string"], paths.ext)
      .add(`${family}.IsAbs`, ["string"], paths.isAbs)
      .add(`${family}.Join`, ["list"], (parts) => paths.join(textsOf(parts)))
      .add(`${family}.Match`, ["string", "string"], paths.match)
      .add(`${family}.Rel`, ["string", "string"], paths.rel)
      .add(`${family}.Split`, ["string"], paths.split)
      .add([`${family}.FromSlash`, `${family}.ToSlash`], ["string"], (path) => path)
      .add(`${family}.VolumeName`, ["string"], () => "");
}

function addRegexps(globals: FunctionTable, methods: FunctionTable): void {
  globals
    .add("regexp.Find", ["string", "string"], regexp.find)
    .add("regexp.FindAll", ["string", "string"], (pattern, text) => regexp.findAll(pattern, text))
    .add("regexp.FindAll", ["string", "int", "string"], (pattern, most, text) =>
      regexp.findAll(pattern, text, Number(most)),
    )
    .add("regexp.Match", ["string", "string"], regexp.isMatch)
    .add("regexp.QuoteMeta", ["string"], regexp.quoteMeta)
    .add("regexp.Replace", ["string", "string", "string"], regexp.replace)
    .add("regexp.ReplaceLiteral", ["string", "string", "string"], regexp.replaceLiteral)
    .add("regexp.Split", ["string", "string"], (pattern, text) => regexp.split(pattern, text))
    .add("regexp.Split", ["string", "int", "string"], (pattern, most, text) =>
      regexp.split(pattern, text, Number(most)),
    );
  for (const table of [methods, globals])
    table
      .add("find", ["string", "string"], (text, pattern) => regexp.find(pattern, text))
      .add("findAll", ["string", "string"], (text, pattern) => regexp.findAll(pattern, text))
      .add("findAll", ["string", "string", "int"], (text, pattern, most) =>
        regexp.findAll(pattern, text, Number(most)),
      )
      .add("match", ["string", "string"], (text, pattern) => regexp.isMatch(pattern, text))
      .add("replaceAllRegex", ["string", "string", "string"], (text, pattern, by) =>
        regexp.replace(pattern, by, text),
      )
      .add("splitRegex", ["string", "string"], (text, pattern) => regexp.split(pattern, text));
}

function addEncodings(globals: FunctionTable, methods: FunctionTable): void {
  for (const [name, hash] of Object.entries(crypto.hashes))
    globals.add(`crypto.${name}`, ["string"], hash).add(`crypto.${name}`, ["bytes"], hash);
  globals
    .add("uuid.V1", [], () => crypto.uuidV1())
    .add("uuid.V4", [], crypto.uuidV4)
    .add("uuid.Nil", [], () => crypto.uuidNil)
    .add("uuid.IsValid", ["string"], crypto.isUuid)
    .add("uuid.Parse", ["string"], crypto.uuidParse);
  for (const table of [globals, methods])
    table
      .add("urlencode", ["string"], (text) =>
        encodeURIComponent(text.toWellFormed())
          .replaceAll("%20", "+")
          .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`),
      )
      .add("urldecode", ["string"], (text) => {
        try {
          return decodeURIComponent(text.replaceAll("+", " "));
        } catch (error) {
          throw new Mistake(`"${text}" is not encoded as addresses are`, { cause: error });
        }
      })
      .add("isURL", ["string"], (text) => /^(?:[a-z][a-z0-9+.-]*:.|\/)/i.test(text) && isUrl(text));
  globals.add("url", ["string"], (text) => fromAnswer(urlParse(text)));
  const parts = {
    getScheme: "Scheme",
    getHost: "Host",
    getHostname: "Hostname",
    getPort: "Port",
    getEscapedPath: "Path",
  };
  for (const [name, part] of Object.entries(parts))
    methods.add(name, ["map"], (map) => map.get(part) ?? null);
  methods.add("getQuery", ["map"], (map) => {
    const found = new Map<string, CelValue[]>();
    for (const [name, value] of new URLSearchParams((map.get("RawQuery") ?? "") as string))
      found.set(name, [...(found.get(name) ?? []), value]);
    return new CelMap(found);
  });
}

function isUrl(text: string): boolean {
  try {
    urlParse(text);
    return true;
  } catch {
    // What is no address is the answer here, and not a mistake.
    return false;
  }
}
