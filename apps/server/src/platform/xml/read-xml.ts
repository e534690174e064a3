/** An element of a document. */
export interface XmlElement {
  /** Without the prefix of its name space. */
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: readonly XmlElement[];
  /** What stands in it outside of its children, as it is written. */
  text: string;
}

/** The document is none, or more than is read; the message says what and where. */
export class WrongXml extends Error {}

const deepest = 100;
const mostElements = 200_000;
const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

const localName = (name: string) => name.slice(name.indexOf(":") + 1);

function decoded(text: string, at: number): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&([^;&]{0,32});?/g, (whole, name: string) => {
    const number = /^#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}))$/.exec(name);
    const code = number ? Number.parseInt(number[1] ?? number[2]!, number[1] ? 16 : 10) : 0;
    const known = number && code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : named[name];
    if (known === undefined || !whole.endsWith(";"))
      throw new WrongXml(`the entity ${whole.slice(0, 34)} near ${at} is not known`);
    return known;
  });
}

const nameStart = "[A-Za-z_:\\u0080-\\uFFFF]";
const nameRest = "[\\w:.\\-\\u0080-\\uFFFF]";
const opening = new RegExp(
  `<(${nameStart}${nameRest}*)((?:\\s+${nameStart}${nameRest}*\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(/?)>`,
  "y",
);
const closing = new RegExp(`</(${nameStart}${nameRest}*)\\s*>`, "y");
const attribute = new RegExp(`(${nameStart}${nameRest}*)\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, "g");

interface Open {
  name: string;
  attributes: Record<string, string>;
  children: XmlElement[];
  text: string;
}

function readAttributes(text: string, at: number): Record<string, string> {
  const found: [string, string][] = [...text.matchAll(attribute)].map(
    ([, name, double, single]) => [localName(name!), decoded(double ?? single ?? "", at)],
  );
  return Object.fromEntries(found);
}

/** The root element. Nothing is fetched and nothing is declared: a document type is refused. @throws WrongXml */
export function readXml(text: string): XmlElement {
  const stack: Open[] = [{ name: "", attributes: {}, children: [], text: "" }];
  let count = 0;
  let at = 0;
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found;
  };
  const skipTo = (end: string, from: number) => {
    const to = text.indexOf(end, from);
    if (to < 0) throw new WrongXml(`something has no end near ${from}`);
    at = to + end.length;
    return text.slice(from, to);
  };
  while (at < text.length) {
    const top = stack.at(-1)!;
    if (text[at] !== "<") {
      const to = text.indexOf("<", at);
      const end = to < 0 ? text.length : to;
      top.text += decoded(text.slice(at, end), at);
      at = end;
    } else if (text.startsWith("<![CDATA[", at)) top.text += skipTo("]]>", at + 9);
    else if (text.startsWith("<!--", at)) skipTo("-->", at + 4);
    else if (text.startsWith("<?", at)) skipTo("?>", at + 2);
    else if (text.startsWith("</", at)) {
      const found = match(closing);
      if (!found || stack.length === 1 || found[1] !== top.name)
        throw new WrongXml(`an element ends near ${at} that is not open`);
      stack.pop();
      stack.at(-1)!.children.push({ ...top, name: localName(top.name) });
    } else {
      const start = at;
      const found = match(opening);
      if (!found) throw new WrongXml(`there is no element near ${start}`);
      count += 1;
      if (count > mostElements) throw new WrongXml(`more than ${mostElements} elements`);
      const [, name = "", attributes = "", isEmpty] = found;
      const element = {
        name,
        attributes: readAttributes(attributes, start),
        children: [],
        text: "",
      };
      if (isEmpty) top.children.push({ ...element, name: localName(name) });
      else stack.push(element);
      if (stack.length > deepest) throw new WrongXml(`more than ${deepest} elements in each other`);
    }
  }
  const [root] = stack;
  const [first, second] = root!.children;
  if (stack.length > 1) throw new WrongXml(`the element ${stack.at(-1)!.name} has no end`);
  if (!first || second || root!.text.trim().replace(/^\uFEFF/, "") !== "")
    throw new WrongXml("there is not one root element");
  return first;
}

export const childOf = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element?.children.find((child) => child.name === name);
export const childrenOf = (element: XmlElement | undefined, name: string): XmlElement[] =>
  element?.children.filter((child) => child.name === name) ?? [];
export const textIn = (element: XmlElement | undefined, name: string): string | undefined =>
  childOf(element, name)?.text;
