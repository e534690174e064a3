import { describe, expect, test } from "vitest";
import { editYaml } from "./edit-yaml.ts";
import { readOne, rewriteYaml, valueOf } from "./rewrite-yaml.ts";

/*
 * In each of these texts a comment names what it speaks of: a key or an item. Whatever is changed, added or taken away
 * anywhere in them, the comments of everything else stay, in their order and on lines that stay as they are.
 */

type Json = Record<string, unknown>;
type Path = readonly (string | number)[];

const layouts: Readonly<Record<string, string>> = {
  "dashes on lines of their own": `spec:
  sites:
    -
      # one, the well-known
      one: a
      more: b   # more
    # two - of them
    -   # two

      # two-thirds
      two: c
      # last
      last: d
    - # three
      three: e
    - &four-of # four
      # four
      four: f
    - !!map
      # five
      five: g
    -
      # six
      six
  # schedule
  schedule: h # schedule
`,
  "comments behind keys whose values begin below, and keys without one": `spec: # spec
  # list
  list: # list

    # x
    - x # x
      # x
    # y
    - y
  empty: # empty
    # empty
  none:
  # after
  after: # after
    # deep
    deep: # deep
      # deepest
      deepest: 1 # deepest
  # spec
`,
  "comments between items at other indents": `list:
# u
  - u
      # u
# v
  - key: v   # v
    # v
      # v
    name: w # name
 # z
  - z

  # list

  - t
# more
more:
- p
  # p
# q
- q
# last
last: 1
`,
  "remarks on texts of several lines": `script: | # script
  line one # no comment
    line two

  line three
# folded
folded: >- # folded
    far
    in
items:
  - |  # text-of-item
    text-of-item
    # no comment
  - text: |+
      kept


  # quoted
  - quoted: "a
      b" # quoted
    plain: one
      two # plain
    counted: |2 # counted
        deep
# end
`,
  "anchors, aliases, tags": `base: &b-se # base
  # t
  t: 1 # t
  inner: &in-ner { pw: secret, port: 1 } # inner
  words: &words # words
    - a-b # a-b
    # c
    - &c-d c
same: *words # same
# merged
merged: # merged
  <<: *b-se # not a key
  # t2
  t2: 2
port: !!str 80 # port
# again
again: *in-ner # again
`,
  "brackets over several lines": `# of all
labels: { # labels
  # team
  team: "shop", # team
  # tier
  tier: 'two' ,   # tier
  nested: { deep: 1, # deep
    other: 2 } # other
} # labels
codes: [ 200,   # 200
  201,
  # 202
  202 ]
list: [
  # m
  { m: 1 }, # m
  # n
  n, # n
  &a-b o # o
]
# end
end: { }  # end
`,
  "tabs, blanks and quotes": `"sp ec":\t# sp ec
  'na''me':   "x: # y"\t# na'me
  "\\u0061b" : 'it''s # not' \t # ab
  # url
  url:\thttps://x.org/#part\t\t# url
  "": nothing   # nothing
  - y: dash
  ? long # long
  : value # value
  5: five # 5
  true: yes # true
  "b: c": d
# end
`.replace("  - y: dash\n", '  "- y": dash # - y\n'),
  "a directive and marks of documents": `%YAML 1.2
# head
--- # mark
# a
a: 1 # a
b:
- c # c
# d
- d
# foot
...
`,
  "nothing behind the last line": `a: 1 # a
b:
  # c
  - c # c
  -
    # d
    d: 1 # d`,
  "lists in lists": `matrix:
  # r
  - - r # r
    # s
    - s
  -
    # t
    - t
    - - - u # u
        # v
        - v
  # matrix
`,
};

const read = (text: string) => valueOf(readOne(text)!) as Json;

const commentsIn = (text: string) =>
  text
    .split(/\r?\n/)
    .flatMap((line) => /(?:^|[\s])# (?!no comment|part|y"|not)(.*)$/.exec(line)?.[1]?.trim() ?? []);

/** What comments may speak of: keys and texts of a value. */
function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([key, one]) => [key, ...namesIn(one)]);
  return typeof value === "string" ? value.split("\n") : [String(value)];
}

function* placesIn(value: unknown, path: Path = []): Generator<Path> {
  yield path;
  if (typeof value === "object" && value !== null)
    for (const [key, one] of Object.entries(value))
      yield* placesIn(one, [...path, Array.isArray(value) ? Number(key) : key]);
}

const at = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((one, step) => (one as Json)[step], value);

const words = [
  "word",
  "two\nlines\n",
  7,
  null,
  ["p", { q: 1 }],
  { r: [1, "s"], t: "u" },
  [],
  {},
  "# no: 'comment, [",
];

/** Every change of a value at every place: what is to be said, and what of the old is gone. */
function* changesOf(
  value: Json,
): Generator<{ what: string; now: Json; gone: unknown; edit: [Path, unknown] }> {
  for (const path of placesIn(value)) {
    const old = at(value, path);
    const change = (make: (holder: Json & unknown[], last: string | number) => void): Json => {
      const copy = structuredClone(value);
      make(at(copy, path.slice(0, -1)) as Json & unknown[], path.at(-1)!);
      return copy;
    };
    const name = JSON.stringify(path);
    if (path.length > 0) {
      for (const word of words) {
        const now = change((holder, last) => (holder[last as never] = word as never));
        yield {
          what: `${name} = ${JSON.stringify(word)}`,
          now,
          gone: typeof old === "object" && old ? { [name]: old, [String(path.at(-1))]: 0 } : old,
          edit: [path, word],
        };
      }
      const removed = change((holder, last) =>
        Array.isArray(holder) ? holder.splice(Number(last), 1) : delete holder[last],
      );
      const gone = typeof path.at(-1) === "string" ? { [path.at(-1)!]: old } : old;
      const isOnly = Object.keys(at(value, path.slice(0, -1)) as Json).length === 1;
      // A form takes away what it leaves empty.
      if (!isOnly) yield { what: `without ${name}`, now: removed, gone, edit: [path, undefined] };
    }
    if (typeof old !== "object" || old === null) continue;
    const next: Path = [...path, Array.isArray(old) ? old.length : "added"];
    const added = structuredClone(value);
    (at(added, path) as Json)[next.at(-1)!] = "new";
    yield { what: `more in ${name}`, now: added, gone: undefined, edit: [next, "new"] };
  }
}

function expectKept(before: string, after: string, gone: unknown): void {
  const may = new Set(namesIn(gone).map((name) => name.trim()));
  const speaks = (comment: string) =>
    may.has(comment.replace(/^within |[ ,-].*$/g, "")) || may.has(comment);
  const must = commentsIn(before).filter((comment) => !speaks(comment));
  const kept = commentsIn(after).filter((comment) => !speaks(comment));
  expect(kept).toEqual(must);
}

describe.each(Object.entries(layouts))("%s", (_name, text) => {
  test.each([
    ["as it is", text],
    ["with line ends of Windows", text.replaceAll("\n", "\r\n")],
  ])("%s: what is said of all else stays as it is", (_how, written) => {
    const value = read(written);
    expect(rewriteYaml(written, structuredClone(value))).toBe(written);
    const newline = written.includes("\r\n") ? "\r\n" : "\n";
    const lines = written.split(newline);
    const failures: string[] = [];
    let count = 0;
    for (const { what, now, gone, edit } of changesOf(value)) {
      count += 1;
      for (const [door, change] of [
        ["rewrite", () => rewriteYaml(written, now)],
        ["edit", () => editYaml(written, { document: 0, path: edit[0], value: edit[1] })],
      ] as const)
        try {
          const made = change();
          // Nothing but a text written anew can say of one what its `<<` says otherwise.
          if (made === undefined && written.includes("<<:")) continue;
          if (door === "rewrite") expect(read(made!)).toEqual(now);
          expectKept(written, made!, gone);
          expect(made!.replaceAll("\r\n", "").includes(newline === "\n" ? "\r" : "\n")).toBe(false);
          const stay = made!.split(newline);
          const kept = lines.filter((line) => stay.includes(line)).length;
          // Who refers to what has changed says for itself what it was.
          const most = /: \*\w/.test(written) ? 2 : 1;
          const mayGo = gone === undefined ? most : written.split(newline).length;
          expect(lines.length - kept).toBeLessThanOrEqual(mayGo);
        } catch (error) {
          // What others refer to is not taken away behind their backs.
          if (door === "edit" && /refers to it|something else than/.test(String(error))) continue;
          failures.push(`${door}: ${what}\n${String(change())}\n${String(error).slice(0, 300)}`);
        }
    }
    expect(count).toBeGreaterThan(20);
    expect(failures.slice(0, 3).join("\n\n")).toBe("");
  });
});
