import { expect, test } from "vitest";
import { completingAt, segmentsOf } from "./completing.ts";

/** The caret stands where the bar is. */
const at = (marked: string) => {
  const caret = marked.indexOf("‸");
  const text = marked.replace("‸", "");
  const { kind, field, typed, from, to } = completingAt(text, caret);
  return `${kind} ${field}[${typed}] ${text.slice(0, from)}<${text.slice(from, to)}>${text.slice(to)}`;
};

test.each([
  ["‸", "field [] <>"],
  ["he‸", "field [he] <he>"],
  ["type=pod he‸", "field [he] type=pod <he>"],
  ["-he‸a x", "field [he] -<hea> x"],
  ["(a | ‸)", "field [] (a | <>)"],
  ["a ‸", "field [] a <>"],
  ["health=‸", "value health[] health=<>"],
  ["health!= un‸h x", "value health[un] health!= <unh> x"],
  ["health=!un‸", "value health[un] health=!<un>"],
  ["health=healthy,‸", "value health[] health=healthy,<>"],
  ['name="a b‸', 'value name[a b] name=<"a b>'],
  ["type=Kubernetes::P‸", "value type[Kubernetes::P] type=<Kubernetes::P>"],
  ["tag:‸", "key tag[] tag:<>"],
  ["tag:clu‸", "key tag[clu] tag:<clu>"],
  ["tags.clu‸", "key tags[clu] tags.<clu>"],
  ["tag:cluster=‸", "value tag:cluster[] tag:cluster=<>"],
  ['tag:"odd key"=x‸', 'value tag:"odd key"[x] tag:"odd key"=<x>'],
  ["config:‸", "key config[] config:<>"],
  ["config:na‸", "key config[na] config:<na>"],
  ["config:name*=a‸", "value config:name[a] config:name*=<a>"],
  ["health=healthy ‸", "field [] health=healthy <>"],
  ['"free text"‸', 'field [] "free text"<>'],
])("at %s it is %s", (marked, expected) => {
  expect(at(marked)).toBe(expected);
});

test("a search is shown in the parts that were understood, up to what is wrong", () => {
  const shown = (text: string) => {
    const { segments, error } = segmentsOf(text);
    expect(
      segments
        .map((segment) => segment.text)
        .join("")
        .replace(/\u00a0$/, ""),
    ).toBe(text);
    return [
      ...segments.map(({ kind, text: part }) => `${kind}:${part}`),
      ...(error ? [error.message] : []),
    ];
  };
  expect(shown("-type=pod api")).toEqual([
    "sign:-",
    "field:type",
    "operator:=",
    "value:pod",
    "plain: ",
    "word:api",
  ]);
  expect(shown("name=")).toEqual([
    "field:name",
    "operator:=",
    "wrong:\u00a0",
    'expected a value after "name=", but the text ends',
  ]);
  expect(shown("a (b")).toEqual(["word:a", "plain: ", "wrong:(b", 'this "(" is never closed']);
  expect(shown("")).toEqual([]);
});
