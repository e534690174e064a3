import { Parser } from "htmlparser2";

/** Links of one page that are looked at. */
const mostLinks = 2000;
const longestAddress = 2048;

/** Where the links of a page lead: addresses of HTTP without their fragments, each once. */
export function pageLinks(html: string, address: URL): URL[] {
  const found = new Map<string, URL>();
  let base = address;
  const parser = new Parser({
    onopentag(name, { href }) {
      if (href === undefined || href.length > longestAddress || found.size >= mostLinks) return;
      if (!URL.canParse(href, base.href)) return;
      const url = new URL(href, base);
      if (name === "base") base = url;
      if (name !== "a" && name !== "area") return;
      if (url.protocol !== "http:" && url.protocol !== "https:") return;
      url.hash = "";
      found.set(url.href, url);
    },
  });
  parser.end(html);
  return [...found.values()];
}
