import type { ExchangeOptions } from "../http/exchange.ts";
import { type GoogleAccess, googleApi, googleBytes } from "./google-api.ts";

export interface GoogleObject {
  key: string;
  size: number;
  modified: Date;
}

export interface GoogleBucket extends GoogleAccess {
  bucket: string;
  endpoint?: string | undefined;
}

/** Where the objects of a bucket are. */
function addressOf({ bucket, endpoint }: GoogleBucket): string {
  const base = (endpoint || "https://storage.googleapis.com").replace(/\/+$/, "");
  const full = base.includes("://") ? base : `https://${base}`;
  const root = full.endsWith("/storage/v1") ? full : `${full}/storage/v1`;
  return `${root}/b/${encodeURIComponent(bucket)}/o`;
}

/** The bytes of an object; nothing when it holds more than `most`. @throws GoogleRefusal */
export function googleObject(
  where: GoogleBucket,
  { key, most }: { key: string; most: number },
  options: ExchangeOptions,
): Promise<Buffer | undefined> {
  const url = new URL(`${addressOf(where)}/${encodeURIComponent(key)}?alt=media`);
  return googleBytes(where, { url, what: `read from the bucket "${where.bucket}"`, most }, options);
}

/** All objects of a bucket whose names begin so, page by page. */
export async function* googleObjects(
  where: GoogleBucket,
  prefix: string,
  options: ExchangeOptions,
): AsyncIterable<GoogleObject> {
  const { bucket } = where;
  const ask = googleApi(where, options);
  let page: string | undefined;
  const seen = new Set<string>();
  do {
    const url = new URL(addressOf(where));
    url.searchParams.set("maxResults", "1000");
    url.searchParams.set("fields", "items(name,size,updated),nextPageToken");
    if (prefix !== "") url.searchParams.set("prefix", prefix);
    if (page !== undefined) url.searchParams.set("pageToken", page);
    const { items, nextPageToken } = await ask(url, `list the bucket "${bucket}"`);
    for (const item of Array.isArray(items) ? (items as Record<string, unknown>[]) : []) {
      const { name, size, updated } = item;
      const modified = new Date(String(updated));
      if (typeof name !== "string" || Number.isNaN(modified.getTime())) continue;
      yield { key: name, size: Number(size ?? 0) || 0, modified };
    }
    page = typeof nextPageToken === "string" && nextPageToken !== "" ? nextPageToken : undefined;
    if (page !== undefined && seen.has(page))
      throw new Error(`the bucket "${bucket}" gives the same page of its listing again`);
    if (page !== undefined) seen.add(page);
  } while (page !== undefined);
}
