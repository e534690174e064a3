import { lstat } from "node:fs/promises";
import { posix } from "node:path";
import type { FileScraper } from "@mainstay/contract";
import { z } from "zod";
import { type FileStore, FolderError, nameWithin } from "#platform/outbound/files/file-store.ts";
import { localFiles } from "#platform/outbound/files/local-files.ts";
import { objectFiles, type Objects } from "#platform/outbound/files/object-files.ts";
import { readPathPattern } from "#platform/outbound/files/path-pattern.ts";
import { googleObject, googleObjects } from "#platform/outbound/google/google-storage.ts";
import { exchange } from "#platform/outbound/http/exchange.ts";
import { openConnection } from "#platform/outbound/http/open-connection.ts";
import { s3Client } from "#platform/outbound/s3/s3-client.ts";
import { failureOf, runScript } from "#platform/outbound/scripts/run-script.ts";
import type { Found, ScrapedChange } from "../../scraping/scraped.ts";
import { type ScrapeInput, scraperType } from "../scraper-type.ts";
import { type FileSource, readSource } from "./file-source.ts";
import { readStill } from "./read-still.ts";

/** Bytes of one file, of all files of a repository together, and files of a scrape. */
const mostFile = 16 * 1024 * 1024;
const mostTogether = 256 * 1024 * 1024;
const mostFiles = 50_000;
/** Commits whose changes are told. */
const history = 100;

const defaultPaths = ["**/*.json", "**/*.yaml", "**/*.yml"];

/** `**.json` is written for every JSON file, however deep. */
const asPattern = (path: string) => path.replaceAll(/\*\*(?=[^/])/g, "**/*");

const formats: Readonly<Record<string, string>> = {
  ".json": "json",
  ".yaml": "yaml",
  ".yml": "yaml",
  ".properties": "properties",
  ".ini": "ini",
  ".conf": "ini",
};

const formatOf = (path: string) => formats[posix.extname(path).toLowerCase()] ?? "text";

/** Half of it is no mistake. Texts are left out, as logs are written all the time, and JSON, which is none by half. */
const isWholeByHalf = (path: string) => !["json", "text"].includes(formatOf(path));

function contentOf(path: string, bytes: Buffer, spec: FileScraper): Found {
  const format = formatOf(path);
  return {
    kind: "content",
    read: {
      content: bytes.toString("utf8"),
      source: path,
      format,
      ...(spec.icon !== undefined && { icon: spec.icon }),
      defaults: { id: path, name: posix.basename(path), type: "File", class: "File" },
    },
  };
}

const tooLarge = (path: string): Found => ({
  kind: "failure",
  message: `${path} has more than ${mostFile} bytes, so it was not read.`,
});
const tooMany: Found = {
  kind: "failure",
  message: `There are more than ${mostFiles} files; the first ones were read.`,
};

/** Which files a document wants, by the way to them from the folder on. */
function wantedBy({ paths, ignore }: FileScraper): (path: string) => boolean {
  const matching = (patterns: readonly string[]) => {
    const read = patterns.map((pattern) => readPathPattern(asPattern(pattern), true));
    return (path: string) =>
      read.some(({ root, matches }) => {
        if (!matches) return path === root || path.startsWith(`${root}/`);
        if (root === "") return matches(path);
        return path.startsWith(`${root}/`) && matches(path.slice(root.length + 1));
      });
  };
  const wanted = matching(paths?.length ? paths : defaultPaths);
  const ignored = matching(ignore ?? []);
  return (path) => wanted(path) && !ignored(path);
}

async function* scrape(input: ScrapeInput<FileScraper>): AsyncIterable<Found> {
  const source = readSource(input.spec);
  switch (source.kind) {
    case "local":
      return yield* localFolder(source.root, input);
    case "git":
      return yield* repository(source, input);
    case "http":
      return yield* webFile(source.url, input);
    case "s3":
    case "gcs":
      return yield* bucketFiles(source, input);
  }
}

async function* localFolder(
  root: string,
  { spec, signal }: ScrapeInput<FileScraper>,
): AsyncIterable<Found> {
  // Without a folder every path says where it is itself.
  const places =
    root === ""
      ? (spec.paths ?? []).map((path) => {
          const { root: folder } = readPathPattern(asPattern(path), true);
          const isPlain = !/[*?]/.test(path);
          const at = isPlain ? posix.dirname(path) : folder;
          return {
            folder: at,
            spec: { ...spec, paths: [isPlain ? posix.basename(path) : path.slice(at.length + 1)] },
          };
        })
      : [{ folder: root, spec }];
  if (places.length === 0)
    throw new Error("paths: say which files of this machine are read, or where they are (url).");
  const room = { files: mostFiles };
  for (const { folder, spec: own } of places) {
    const at = folder === "" ? "." : folder;
    if (!(await isThere(at))) {
      yield { kind: "failure", message: `There is no folder ${at}, so nothing of it was read.` };
      continue;
    }
    const store = localFiles(at);
    const still: FileStore = {
      ...store,
      read(name, options) {
        const read = () => store.read(name, options);
        return isWholeByHalf(name) ? readStill(posix.join(at, name), { signal, read }) : read();
      },
    };
    yield* filesIn(
      { store: still, pathOf: (name) => posix.join(folder, name) },
      { spec: own, signal, room },
    );
  }
}

/** Anything but a folder that is missing is told by reading it. */
async function isThere(folder: string): Promise<boolean> {
  try {
    await lstat(folder);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
}

/** Files of a folder, wherever it is. */
async function* filesIn(
  { store, pathOf }: { store: FileStore; pathOf(name: string): string },
  { spec, signal, room }: { spec: FileScraper; signal: AbortSignal; room: { files: number } },
): AsyncIterable<Found> {
  const isWanted = wantedBy(spec);
  const notes: string[] = [];
  let isEmpty = true;
  const found = store.files({
    signal,
    levels: Number.POSITIVE_INFINITY,
    note: (text) => notes.push(text),
  });
  for await (const { name, size } of found) {
    if (!isWanted(name)) continue;
    isEmpty = false;
    room.files -= 1;
    if (room.files < 0) return yield tooMany;
    const path = pathOf(name);
    try {
      const bytes =
        size > mostFile ? undefined : await store.read(name, { signal, most: mostFile });
      yield bytes ? contentOf(path, bytes, spec) : tooLarge(path);
    } catch (error) {
      if (!(error instanceof FolderError)) throw error;
      yield { kind: "failure", message: error.message };
    }
  }
  for (const message of notes) yield { kind: "failure", message: `${store.place}: ${message}` };
  // What is not mounted, say, is an empty folder.
  if (isEmpty)
    yield {
      kind: "notice",
      message: `${store.place}: there is no file that is meant; what was read there before stays.`,
      untold: {},
    };
}

/** What a stored connection of a bucket puts beside the address. */
const bucketAccess = z.object({
  accessKey: z.object({ value: z.string() }).optional(),
  secretKey: z.object({ value: z.string() }).optional(),
  sessionToken: z.object({ value: z.string() }).optional(),
  credentials: z.object({ value: z.string() }).optional(),
  endpoint: z.string().optional(),
  region: z.string().optional(),
  assumeRole: z.string().optional(),
  usePathStyle: z.boolean().optional(),
  skipTLSVerify: z.boolean().optional(),
});

/** Objects of a bucket whose names begin as the address says, or the one that is called so. */
async function* bucketFiles(
  source: Extract<FileSource, { kind: "s3" | "gcs" }>,
  { spec, signal, connector }: ScrapeInput<FileScraper>,
): AsyncIterable<Found> {
  const { credentials, accessKey, secretKey, sessionToken, ...access } = bucketAccess.parse(spec);
  const { bucket, prefix } = source;
  const options = { signal, connector };
  let objects: Objects;
  let place = `the bucket ${bucket}`;
  if (source.kind === "s3") {
    const client = await s3Client(
      {
        ...access,
        bucket,
        region: source.region ?? access.region,
        endpoint: source.endpoint ?? access.endpoint,
        accessKey: accessKey?.value,
        secretKey: secretKey?.value,
        sessionToken: sessionToken?.value,
      },
      options,
    );
    objects = client;
    place = client.place;
  } else {
    const { endpoint, skipTLSVerify } = access;
    const google = { bucket, endpoint, skipTLSVerify, credentials: credentials?.value };
    objects = {
      list: (start) => googleObjects(google, start, options),
      read: (key, most) => googleObject(google, { key, most }, options),
    };
  }
  if (prefix !== "") {
    const [first] = await take(objects.list(prefix), 1);
    if (first?.key === prefix) {
      const bytes =
        first.size > mostFile ? undefined : await objects.read(nameWithin(prefix), mostFile);
      const name = posix.basename(prefix);
      return yield bytes ? contentOf(name, bytes, spec) : tooLarge(name);
    }
  }
  const store = objectFiles(place, prefix, objects);
  yield* filesIn({ store, pathOf: (name) => name }, { spec, signal, room: { files: mostFiles } });
}

async function take<One>(all: AsyncIterable<One>, most: number): Promise<One[]> {
  const taken: One[] = [];
  for await (const one of all) {
    taken.push(one);
    if (taken.length === most) break;
  }
  return taken;
}

/**
 * What a commit's files are told as: one line for the commit, then its files. What people write comes last, as it may
 * hold anything; the time is in seconds, as a zone may be one that there is nowhere.
 */
const log = `git -c core.quotePath=off log -n ${history} --no-renames --name-only --format='%x1e%H%x1f%at%x1f%ae%x1f%an%x1f%s'`;
const isCommit = ([hash = "", seconds = ""]: readonly string[]) =>
  /^[0-9a-f]{40,64}$/.test(hash) && /^-?\d*$/.test(seconds);

async function* repository(
  { url, ref, below }: Extract<FileSource, { kind: "git" }>,
  { spec, signal, connector }: ScrapeInput<FileScraper>,
): AsyncIterable<Found> {
  const isWanted = wantedBy(spec);
  const found: Found[] = [];
  const seen = new Set<string>();
  let together = 0;
  const folder = below.replaceAll(/^\/+|\/+$/g, "");
  const { run } = await runScript(
    {
      script: log,
      checkout: {
        url,
        // Of the last commit that is fetched its own files are not known: it has no parent here.
        depth: history + 1,
        ...(ref !== undefined && { branch: ref }),
        username: spec.username as never,
        password: spec.password as never,
        certificate: spec.certificate as never,
      },
      artifacts: [{ path: folder === "" ? "**" : `${folder}/**` }],
    },
    {
      connector,
      signal,
      keptOutput: mostFile,
      async keep(files) {
        for await (const file of files) {
          const path = folder === "" ? file.path : file.path.slice(folder.length + 1);
          if (file.path.startsWith(".git/") || !isWanted(path)) continue;
          if ("problem" in file) {
            found.push({ kind: "failure", message: `${path}: ${file.problem}` });
            continue;
          }
          if (seen.size >= mostFiles || together > mostTogether) {
            found.push(tooMany);
            return;
          }
          const bytes = await file.read(mostFile);
          // What is committed is whole: of YAML that nothing is in it.
          if (bytes && formatOf(path) === "yaml" && bytes.toString().trim() === "") continue;
          seen.add(file.path);
          together += bytes?.length ?? 0;
          found.push(bytes ? contentOf(path, bytes, spec) : tooLarge(path));
        }
      },
    },
  );
  signal.throwIfAborted();
  if (run.exitCode !== 0) throw new Error(failureOf(run));
  yield* found;
  // Which item a file became is known only where its own path is its id.
  if (spec.id !== undefined) return;
  for (const change of commitsIn(run.stdout.text, folder, seen)) yield { kind: "change", change };
}

/** The commits of a log that touched files which were read. */
function* commitsIn(
  text: string,
  folder: string,
  seen: ReadonlySet<string>,
): Iterable<ScrapedChange> {
  const entries: string[] = [];
  for (const part of text.split("\u001e").slice(1))
    if (isCommit(part.split("\u001f", 2))) entries.push(part);
    // The mark stood in what somebody wrote.
    else entries.push(`${entries.pop() ?? ""} ${part}`);
  for (const entry of entries) {
    const [head = "", ...files] = entry.split("\n");
    const [hash = "", seconds = "", email = "", name = "", ...subject] = head.split("\u001f");
    const createdAt = new Date(Number.parseInt(seconds, 10) * 1000);
    for (const file of files.filter((one) => seen.has(one))) {
      const path = folder === "" ? file : file.slice(folder.length + 1);
      yield {
        item: { externalId: path },
        externalChangeId: `${hash}/${path}`,
        changeType: "GitCommit",
        severity: "info",
        source: "git",
        summary: subject.join(" "),
        ...(!Number.isNaN(+createdAt) && { createdAt }),
        createdBy: email || name,
        details: { commit: hash, author: name, email },
      };
    }
  }
}

async function* webFile(
  address: string,
  { spec, signal, connector }: ScrapeInput<FileScraper>,
): AsyncIterable<Found> {
  const connection = await openConnection(
    { url: address, username: spec.username as never, password: spec.password as never },
    { signal, connector },
  );
  const { code, body, isCut } = await exchange(
    { ...connection, mostBody: mostFile },
    { signal, connector },
  );
  // Signed addresses are keys: what stands behind the path is not told.
  const { origin, pathname } = new URL(address);
  if (code < 200 || code >= 300) throw new Error(`${origin}${pathname} answered ${code}.`);
  yield isCut
    ? tooLarge(origin + pathname)
    : contentOf(posix.basename(pathname) || pathname, body, spec);
}

/** Files of this machine, of repositories with their history, of buckets and of web addresses. */
export const fileScraper = scraperType<FileScraper>({ type: "file", scrape });
