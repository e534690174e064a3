import { createElement, Fragment, type ReactNode, useMemo } from "react";

/** What may be said, and by which element it is said here; headings of others are none of this page. */
const allowed: Readonly<Record<string, string>> = {
  b: "strong",
  blockquote: "blockquote",
  br: "br",
  code: "code",
  dd: "dd",
  div: "div",
  dl: "dl",
  dt: "dt",
  em: "em",
  h1: "p",
  h2: "p",
  h3: "p",
  h4: "p",
  h5: "p",
  h6: "p",
  hr: "hr",
  i: "em",
  li: "li",
  ol: "ol",
  p: "p",
  pre: "pre",
  span: "span",
  strong: "strong",
  table: "table",
  tbody: "tbody",
  td: "td",
  th: "th",
  thead: "thead",
  tr: "tr",
  tt: "code",
  ul: "ul",
};
const empty: ReadonlySet<string> = new Set(["br", "hr"]);
/** Their words are none. */
const dropped: ReadonlySet<string> = new Set([
  "iframe",
  "math",
  "noscript",
  "object",
  "script",
  "select",
  "style",
  "svg",
  "template",
  "textarea",
  "title",
]);

const deepest = 50;
const mostNodes = 5_000;

function toReact(node: Node, budget: { left: number }, depth: number): ReactNode {
  budget.left -= 1;
  if (budget.left < 0 || depth > deepest) return null;
  if (node.nodeType === Node.TEXT_NODE) return node.textContent;
  if (node.nodeType !== Node.ELEMENT_NODE) return null;
  const name = node.nodeName.toLowerCase();
  if (dropped.has(name)) return null;
  const children = within(node, budget, depth + 1);
  if (name === "a") {
    const url = URL.parse((node as Element).getAttribute("href") ?? "");
    if (url?.protocol !== "https:" && url?.protocol !== "http:") return children;
    return (
      <a href={url.href} target="_blank" rel="noreferrer" className="text-accent underline">
        {children}
      </a>
    );
  }
  const element = Object.hasOwn(allowed, name) ? allowed[name] : undefined;
  if (element === undefined) return children;
  return empty.has(element) ? createElement(element) : createElement(element, {}, ...children);
}

/** What stands in a node, as far as there is room. */
function within(node: Node, budget: { left: number }, depth: number): ReactNode[] {
  const children: ReactNode[] = [];
  for (const child of node.childNodes) {
    if (budget.left < 0) break;
    children.push(<Fragment key={children.length}>{toReact(child, budget, depth)}</Fragment>);
  }
  return children;
}

/**
 * Handlers run nowhere here, but browsers report them to the policy of the page even where they only read them. What of
 * them is overlooked here is reported, and no more.
 */
const withoutHandlers = (html: string) =>
  html.replaceAll(/<[a-z][^<>]*>/gi, (tag) =>
    tag.replaceAll(/([\s/"'])on(?=[a-z]+\s*=)/gi, "$1data-"),
  );

/**
 * A text that others have written as HTML: its paragraphs, lists, tables, code and links to the web, and nothing else.
 * It is read in a document that runs no script and loads nothing, and made anew from what may be said; no attribute of it
 * is kept.
 */
export function SafeHtml({ html }: { html: string }) {
  const content = useMemo(() => {
    const budget = { left: mostNodes };
    const { body } = new DOMParser().parseFromString(withoutHandlers(html), "text/html");
    const shown = within(body, budget, 0);
    return budget.left < 0
      ? [...shown, <p key="more">There is more than is shown here.</p>]
      : shown;
  }, [html]);
  return (
    <div className="flex max-w-prose flex-col gap-2 text-sm break-words [&_:is(p,ul,ol,pre,blockquote,dl)]:m-0 [&_code]:font-mono [&_code]:text-xs [&_pre]:overflow-x-auto [&_pre]:rounded-control [&_pre]:bg-sunken [&_pre]:p-2 [&_td]:border [&_td]:px-2 [&_th]:border [&_th]:px-2 [&_ul]:list-disc [&_:is(ul,ol)]:pl-5 [&_ol]:list-decimal">
      {content}
    </div>
  );
}
