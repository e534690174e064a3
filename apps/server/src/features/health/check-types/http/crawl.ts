import { setTimeout as delay } from "node:timers/promises";
import { type HttpSpec, parseDuration } from "@mainstay/contract";
import { RE2JS } from "re2js";
import { readableAddress } from "#platform/outbound/http/address.ts";
import {
  type Exchange,
  exchange,
  type ExchangeOptions,
  type HttpRequest,
} from "#platform/outbound/http/exchange.ts";
import { pageLinks } from "./page-links.ts";

type Crawl = NonNullable<HttpSpec["crawl"]>;

/** Pages that are visited, bytes of one and of all that are read, links that are noted. */
const mostPages = 500;
const mostPageBytes = 1024 * 1024;
const mostBytes = 32 * 1024 * 1024;
const mostWaiting = 10_000;
/** Of the time of the check, what a crawl may take; the rest is for its end. */
const share = 0.8;

const defaults = { depth: 10, delay: "500ms", randomDelay: "100ms", parallelism: 2 };

/** A page that could not be had. */
export interface MissingPage {
  url: string;
  /** What was answered; absent when nothing was. */
  code?: number;
  error?: string;
  /** The page that leads there. */
  from: string;
}

export interface Crawled {
  visited: number;
  missing: MissingPage[];
  /** Why not everything was visited. */
  isCutBy?: string;
}

interface Link {
  url: URL;
  from: URL;
  /** Links from the first page. */
  depth: number;
}

const patterns = (texts: readonly string[] = []) => texts.map((text) => RE2JS.compile(text));
const isAny = (filters: readonly RE2JS[], text: string) =>
  filters.some((filter) => filter.matcher(text).find());

/** Which links are followed: of the domains that are meant, or the first page's; by the filters. */
function chooser(crawl: Crawl, first: URL): (url: URL) => boolean {
  const allowed = patterns([...(crawl.filters ?? []), ...(crawl.allowedURLFilters ?? [])]);
  const disallowed = patterns(crawl.disallowedURLFilters);
  const isIn = (domains: readonly string[], { host, hostname }: URL) =>
    domains.some((domain) => [host, hostname].includes(domain.toLowerCase()));
  const domains = crawl.allowedDomains?.length ? crawl.allowedDomains : [first.host];
  return (url) =>
    isIn(domains, url) &&
    !isIn(crawl.disallowedDomains ?? [], url) &&
    !isAny(disallowed, url.href) &&
    (allowed.length === 0 || isAny(allowed, url.href));
}

const isPage = ({ headers }: Exchange) => /\bhtml\b/i.test(headers["content-type"] ?? "");

/** Asks for a page as the check asks; who asks is said to the check's own origin alone. */
function pageRequest(url: URL, { url: own, auth, headers, tls, proxy, maxRedirects }: HttpRequest) {
  const shared = { url, tls, proxy, maxRedirects, mostBody: mostPageBytes };
  return url.origin === own.origin
    ? { ...shared, auth, headers }
    : { ...shared, tls: withoutKey(tls) };
}
const withoutKey = (tls: HttpRequest["tls"]) => ({ ...tls, cert: undefined, key: undefined });

export interface CrawlInput extends ExchangeOptions {
  crawl: Crawl;
  request: HttpRequest;
  /** The first page. */
  answer: Exchange;
  timeoutMs: number;
}

/** Follows the links of a page, and of the pages that it leads to. */
export async function followLinks(input: CrawlInput): Promise<Crawled> {
  const { crawl, request, answer, signal, connector } = input;
  const until = performance.now() + input.timeoutMs * share;
  const first = new URL(answer.address);
  const isWanted = chooser(crawl, first);
  const depth = crawl.depth ?? defaults.depth;
  const pauseMs = parseDuration(crawl.delay ?? defaults.delay);
  const randomMs = parseDuration(crawl.randomDelay ?? defaults.randomDelay);
  const known = new Set([first.href, request.url.href]);
  const waiting: Link[] = [];
  const crawled: Crawled = { visited: 1, missing: [] };
  let bytes = answer.body.length;

  const note = (page: Exchange, from: URL, at: number) => {
    if (at >= depth || !isPage(page)) return;
    for (const url of pageLinks(page.body.toString("utf8"), from)) {
      if (known.has(url.href) || !isWanted(url)) continue;
      if (waiting.length >= mostWaiting) return;
      known.add(url.href);
      waiting.push({ url, from, depth: at + 1 });
    }
  };

  const limit = () => {
    if (crawled.visited >= mostPages) return `${mostPages} pages`;
    if (bytes >= mostBytes) return `${mostBytes} bytes`;
    return performance.now() > until ? "the time of the check" : undefined;
  };

  const visit = async ({ url, from, depth: at }: Link) => {
    const about = { url: readableAddress(url.href), from: readableAddress(from.href) };
    try {
      const page = await exchange(pageRequest(url, request), { signal, connector });
      bytes += page.body.length;
      if (page.code >= 400) crawled.missing.push({ ...about, code: page.code });
      const end = new URL(page.address);
      known.add(end.href);
      // A page of elsewhere that a link of ours is sent on to is there; its own links are not ours.
      if (page.code < 400 && isWanted(end)) note(page, end, at);
    } catch (error) {
      if (signal.aborted) throw error;
      crawled.missing.push({ ...about, error: (error as Error).message.slice(0, 300) });
    }
  };

  const atOnce = crawl.parallelism ?? defaults.parallelism;
  note(answer, first, 0);
  const running = new Set<Promise<void>>();
  const begin = (link: Link) => {
    crawled.visited += 1;
    const pause = pauseMs + Math.random() * randomMs;
    const visiting = delay(pause, undefined, { signal })
      .then(() => visit(link))
      .finally(() => running.delete(visiting));
    // The first failure ends the crawl; those after it say the same.
    visiting.catch(() => undefined);
    running.add(visiting);
  };
  for (;;) {
    while (running.size < atOnce && waiting.length > 0) {
      crawled.isCutBy = limit();
      const link = crawled.isCutBy === undefined ? waiting.shift() : undefined;
      if (!link) break;
      begin(link);
    }
    if (running.size === 0) break;
    await Promise.race(running);
  }
  return crawled;
}
