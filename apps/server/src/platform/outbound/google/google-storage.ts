import type { ExchangeOptions } from "../http/exchange.ts";
import { type GoogleAccess, googleApi } from "./google-api.ts";

export interface GoogleObject {
  key: string;
  size: number;
  modified: Date;
}

/** All objects of a bucket whose names begin so, page by page. */
export async function* googleObjects(
  { bucket, endpoint, ...access }: GoogleAccess & { bucket: string; endpoint?: string | undefined },
  prefix: string,
  options: ExchangeOptions,
): AsyncIterable<GoogleObject> {
  const ask = googleApi(access, options);
  const base = (endpoint || "https://storage.googleapis.com").replace(/\/+$/, "");
  const full = base.includes("://") ? base : `https://${base}`;
  const root = full.endsWith("/storage/v1") ? full : `${full}/storage/v1`;
  let page: string | undefined;
  const seen = new Set<string>();
  do {
    const url = new URL(`${root}/b/${encodeURIComponent(bucket)}/o`);
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
