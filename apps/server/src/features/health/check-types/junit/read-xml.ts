/** An element of an XML document. */
export interface XmlElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: XmlElement[];
  /** Of its own, as far as it is kept. */
  text: string;
}

const deepest = 64;
const mostElements = 200_000;
/** Of one element, in characters. */
const keptText = 65_536;
const longestAttribute = 65_536;

/** What is wrong with a document. */
export class BadXml extends Error {}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

/** The five of every document and numbers; whatever else is named is left as it is written. */
function decoded(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{1,10}));/gi,
    (whole, ten, sixteen, name) => {
      if (name !== undefined) return entities[name as string] ?? whole;
      const code = ten === undefined ? Number.parseInt(sixteen as string, 16) : Number(ten);
      return code <= 0x10ffff ? String.fromCodePoint(code) : "\uFFFD";
    },
  );
}

const attributePattern = /([^\s=/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/y;
const space = /\s*/y;

function attributesOf(text: string): Record<string, string> {
  const found: [string, string][] = [];
  let at = 0;
  for (;;) {
    space.lastIndex = at;
    at += space.exec(text)![0].length;
    if (at >= text.length) return Object.fromEntries(found);
    attributePattern.lastIndex = at;
    const match = attributePattern.exec(text);
    if (!match) throw new BadXml("an attribute is written in a way that XML does not know");
    const [whole, name, double, single] = match;
    found.push([name!, decoded((double ?? single ?? "").slice(0, longestAttribute))]);
    at += whole.length;
  }
}

/** Where a tag ends: at the next `>` that stands in no quotes. */
function tagEnd(text: string, from: number): number {
  let quote = "";
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at]!;
    if (quote !== "") {
      if (sign === quote) quote = "";
    } else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === ">") return at;
  }
  throw new BadXml("a tag does not end");
}

/**
 * The root of a document. Document types are refused, so there are no entities to expand and nothing from elsewhere to
 * fetch; depth and count are bounded. @throws BadXml
 */
export function readXml(text: string): XmlElement {
  const top: XmlElement = { name: "", attributes: {}, children: [], text: "" };
  const open: XmlElement[] = [top];
  let elements = 0;
  const past = (end: string, from: number): number => {
    const found = text.indexOf(end, from);
    if (found === -1) throw new BadXml(`something is not ended with ${end}`);
    return found;
  };
  const say = (more: string) => {
    const element = open.at(-1)!;
    if (element.text.length < keptText)
      element.text += more.slice(0, keptText - element.text.length);
  };
  for (let at = 0; at < text.length;) {
    const next = text.indexOf("<", at);
    const until = next === -1 ? text.length : next;
    if (until > at) say(decoded(text.slice(at, Math.min(until, at + keptText))));
    if (next === -1) break;
    if (text.startsWith("<!--", next)) at = past("-->", next) + 3;
    else if (text.startsWith("<![CDATA[", next)) {
      const end = past("]]>", next);
      say(text.slice(next + 9, end));
      at = end + 3;
    } else if (text.startsWith("<?", next)) at = past("?>", next) + 2;
    else if (text.startsWith("<!", next))
      throw new BadXml("it has a document type (<!DOCTYPE), which is not read");
    else {
      const end = tagEnd(text, next);
      const inside = text.slice(next + 1, end);
      at = end + 1;
      if (inside.startsWith("/")) {
        const closed = open.pop()!;
        if (open.length === 0 || closed.name !== inside.slice(1).trim())
          throw new BadXml(`<${inside.slice(0, 50)}> ends what did not begin`);
        continue;
      }
      const isEmpty = inside.endsWith("/");
      const [, name = "", rest = ""] =
        /^([^\s/]+)([\s\S]*)$/.exec(isEmpty ? inside.slice(0, -1) : inside) ?? [];
      if (name === "") throw new BadXml("a tag has no name");
      elements += 1;
      if (elements > mostElements) throw new BadXml(`it has more than ${mostElements} elements`);
      const element: XmlElement = { name, attributes: attributesOf(rest), children: [], text: "" };
      open.at(-1)!.children.push(element);
      if (!isEmpty) open.push(element);
      if (open.length > deepest) throw new BadXml(`it nests deeper than ${deepest} elements`);
    }
  }
  if (open.length > 1) throw new BadXml(`<${open.at(-1)!.name}> does not end`);
  const [root] = top.children;
  if (!root || top.children.length > 1) throw new BadXml("it should have one element at the top");
  return root;
}
