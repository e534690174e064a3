import type { FileScraper } from "@mainstay/contract";

/** Where the files of a scraper are. */
export type FileSource =
  | { kind: "local"; root: string }
  | { kind: "git"; url: string; ref?: string; below: string }
  | { kind: "http"; url: string };

/** Not an address that files are read from. */
export class WrongSource extends Error {}

/**
 * Reads an address as it is written for files: `git::https://host/repo//folder?ref=main`, `git@host:repo`, an address
 * that ends in `.git`, `https://host/file.json`, `file:///folder`, a folder of this machine.
 */
export function readSource({ url, connection, ...spec }: FileScraper): FileSource {
  const text = (url || connection || "").trim();
  const ref = typeof spec.branch === "string" && spec.branch !== "" ? spec.branch : undefined;
  if (text === "") return { kind: "local", root: "" };
  const forced = /^git::(.+)$/i.exec(text)?.[1];
  const address = forced ?? text;
  if (/^file:\/\//i.test(address) && forced === undefined)
    return { kind: "local", root: decodeURIComponent(new URL(address).pathname) };
  if (address.startsWith("/") && forced === undefined) return { kind: "local", root: address };
  const isGit =
    forced !== undefined ||
    /^(ssh|git|git\+ssh):\/\//i.test(address) ||
    /^[\w.-]+@[\w.-]+:/.test(address) ||
    /^https?:\/\/[^?#]*\.git(\/\/[^?#]*)?([?#].*)?$/i.test(address) ||
    // A connection's address is that of a repository: others have no branch.
    ref !== undefined;
  if (isGit) return gitSource(address, ref);
  if (/^https?:\/\//i.test(address)) return { kind: "http", url: address };
  throw new WrongSource(
    `url: files are read from repositories of Git, web addresses and folders of this machine, not from ${address.slice(0, 100)}.`,
  );
}

function gitSource(address: string, ref: string | undefined): FileSource {
  const [whole = "", query = ""] = address.split("?", 2);
  const named = new URLSearchParams(query).get("ref") ?? ref;
  const [, scheme = "", path = ""] = /^([a-z+]+:\/\/)?(.*)$/i.exec(whole)!;
  const [repository = "", below = ""] = path.split("//", 2);
  return {
    kind: "git",
    url: scheme + repository,
    below,
    ...(named !== undefined && named !== null && { ref: named }),
  };
}
