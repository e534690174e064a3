import type { FileScraper } from "@mainstay/contract";

/** Where the files of a scraper are. */
export type FileSource =
  | { kind: "local"; root: string }
  | { kind: "git"; url: string; ref?: string; below: string }
  | { kind: "http"; url: string }
  | {
      kind: "s3";
      bucket: string;
      /** All objects whose names begin so, or the one that has this name; without a slash before and behind. */
      prefix: string;
      region?: string;
      /** Where it is not Amazon's own. */
      endpoint?: string;
    }
  | { kind: "gcs"; bucket: string; prefix: string };

/** Not an address that files are read from. */
export class WrongSource extends Error {}

/**
 * Reads an address as it is written for files: `git::https://host/repo//folder?ref=main`, `git@host:repo`, an address
 * that ends in `.git`, `github.com/team/repo`, `https://host/file.json`, `file:///folder`, a folder of this machine,
 * `s3://bucket/folder`, `s3::https://s3.amazonaws.com/bucket/folder`, `gs://bucket/folder`.
 */
export function readSource({ url, connection, ...spec }: FileScraper): FileSource {
  const text = (url || connection || "").trim();
  const ref = typeof spec.branch === "string" && spec.branch !== "" ? spec.branch : undefined;
  if (text === "") return { kind: "local", root: "" };
  const bucket = bucketSource(text);
  if (bucket) return bucket;
  const hosted = hostedRepository.exec(text);
  if (hosted) return gitSource(`https://${hosted[1]}.git${hosted[2] ?? ""}`, ref);
  const forced = /^git::(.+)$/i.exec(text)?.[1];
  const address = forced ?? text;
  if (/^file:\/\//i.test(address) && forced === undefined)
    return { kind: "local", root: decoded(addressIn(address).pathname) };
  if (address.startsWith("/") && forced === undefined) return { kind: "local", root: address };
  const isGit =
    forced !== undefined ||
    /^(ssh|git|git\+ssh):\/\//i.test(address) ||
    /^[\w.-]+@[\w.-]+:/.test(address) ||
    /^https?:\/\/[^?#]*\.git(\/\/[^?#]*)?([?#].*)?$/i.test(address) ||
    // A connection's address is that of a repository: others have no branch.
    ref !== undefined;
  if (isGit) return gitSource(address, ref);
  if (/^https?:\/\//i.test(address)) {
    addressIn(address);
    return { kind: "http", url: address };
  }
  throw new WrongSource(
    `url: files are read from repositories of Git, web addresses, buckets and folders of this machine, not from ${address.slice(0, 100)}.`,
  );
}

/** Of hosts whose repositories are written without more, and what stands behind the repository. */
const hostedRepository =
  /^((?:github\.com|gitlab\.com|bitbucket\.org)\/[\w.-]+\/[\w.-]+?)(?:\.git)?((?:\/\/[^?]*)?(?:\?.*)?)$/i;

/** `s3.amazonaws.com`, `s3-eu-west-1.amazonaws.com`, `bucket.s3.eu-west-1.amazonaws.com`. */
const amazon = /^(?:(.+)\.)?s3(?:[.-]([a-z0-9-]+))?\.amazonaws\.com(?:\.cn)?$/i;

function bucketSource(text: string): FileSource | undefined {
  const [, scheme = "", rest = ""] = /^(s3|gs|gcs):\/\/(.*)$/i.exec(text) ?? [];
  if (scheme !== "") {
    const [path = "", query = ""] = rest.split("?", 2);
    const [bucket = "", ...parts] = path.split("/");
    const place = { bucket: bucketName(bucket), prefix: prefixOf(parts.join("/")) };
    if (scheme.toLowerCase() !== "s3") return { kind: "gcs", ...place };
    return { kind: "s3", ...place, ...regionIn(query) };
  }
  const [, forced = "", address = ""] = /^(?:(s3|gcs)::)?(.*)$/i.exec(text)!;
  const isBare = /^(?:[\w.-]+\.)?s3(?:[.-][a-z0-9-]+)?\.amazonaws\.com\//i.test(address);
  if (forced === "" && !isBare) return undefined;
  const full = /^https?:\/\//i.test(address) ? address : `https://${address}`;
  const { hostname, pathname, origin, search } = addressIn(full);
  const parts = decoded(pathname).split("/").filter(Boolean);
  if (forced.toLowerCase() === "gcs") {
    const [storage, version, bucket = "", ...path] = parts;
    if (hostname !== "www.googleapis.com" || storage !== "storage" || version !== "v1")
      throw new WrongSource(
        "url: buckets of Google are written gs://bucket/folder or gcs::https://www.googleapis.com/storage/v1/bucket/folder.",
      );
    return { kind: "gcs", bucket: bucketName(bucket), prefix: path.join("/") };
  }
  const [isAmazon, inHost, region] = amazon.exec(hostname) ?? [];
  const [bucket = "", ...path] = inHost === undefined ? parts : [inHost, ...parts];
  return {
    kind: "s3",
    bucket: bucketName(bucket),
    prefix: path.join("/"),
    ...(region !== undefined && { region }),
    ...regionIn(search),
    ...(isAmazon === undefined && { endpoint: origin }),
  };
}

function addressIn(text: string): URL {
  if (!URL.canParse(text)) throw new WrongSource(`url: ${text.slice(0, 100)} is no address.`);
  return new URL(text);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new WrongSource(
      `url: in ${path.slice(0, 100)} a % is not followed by what stands for a letter; a % itself is written %25.`,
    );
  }
}

const prefixOf = (path: string) => path.replaceAll(/^\/+|\/+$/g, "");

function bucketName(text: string): string {
  if (/^[\w.-]{1,222}$/.test(text)) return text;
  throw new WrongSource(
    `url: ${text === "" ? "it does not say which bucket" : `"${text.slice(0, 100)}" is no bucket`}.`,
  );
}

function regionIn(query: string): { region?: string } {
  const asked = new URLSearchParams(query);
  if ([...asked.keys()].some((key) => /^aws_/i.test(key)))
    throw new WrongSource(
      "url: credentials do not stand in an address: name a connection of type AWS or S3.",
    );
  const region = asked.get("region");
  return region ? { region } : {};
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
