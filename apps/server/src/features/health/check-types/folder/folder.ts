import { checkSpecs, type FolderSpec, formatSize } from "@mainstay/contract";
import type { Value } from "@mainstay/scripting";
import { RE2JS } from "re2js";
import { AwsRefusal } from "#platform/outbound/aws/aws-client.ts";
import { type FileStore, FolderError } from "#platform/outbound/files/file-store.ts";
import { type FileFilter, type Listing, listFiles } from "#platform/outbound/files/list-files.ts";
import { openStore, readFolderPath } from "#platform/outbound/files/open-store.ts";
import { GoogleRefusal } from "#platform/outbound/google/google-api.ts";
import { isNotTried } from "#platform/outbound/not-tried.ts";
import { S3Refusal } from "#platform/outbound/s3/s3-client.ts";
import {
  attempt,
  type CheckInput,
  checkType,
  type CheckOutcome,
  failed,
  passed,
} from "../check-type.ts";
import { durationOf, type ErrorType, judge, sizeOf, type Unmet } from "./judge.ts";
import { parseSince } from "./since.ts";

/** Files that a result describes one by one, and those that scripts see. */
const mostDescribed = 100;
const mostSeen = 5000;

function filterOf(spec: FolderSpec, now: Date): FileFilter {
  const { filter } = spec;
  const since = filter?.since?.trim();
  return {
    minAgeMs: durationOf(filter?.minAge),
    maxAgeMs: durationOf(filter?.maxAge),
    since: since ? parseSince(since, now) : undefined,
    minSize: sizeOf(filter?.minSize),
    maxSize: sizeOf(filter?.maxSize),
    // An engine whose time grows with the length of the name alone: no pattern can stall the server.
    regex: filter?.regex === undefined ? undefined : RE2JS.compile(filter.regex),
  };
}

const refused = (errorType: ErrorType, error: string, more: Partial<CheckOutcome>): CheckOutcome =>
  failed(error, {
    ...more,
    details: { errorType },
    data: () => ({ results: { files: [] }, errorType }),
    ...(errorType === "configuration_error" && { invalid: true }),
  });

/** What a check asks of the files beyond what it says of folders. */
export interface MoreOfFiles {
  matches?: (relative: string) => boolean;
  judge?: (listing: Listing, now: Date) => Unmet | undefined;
}

export const folder = checkType<FolderSpec>({
  type: "folder",
  spec: checkSpecs.folder,
  network: false,
  endpoint: (spec) => spec.path,
  run: (input) => checkFiles(input.spec, input),
});

/** Lists the files of a folder, wherever it is, and judges them. */
export function checkFiles(
  spec: FolderSpec,
  input: Pick<CheckInput<unknown>, "connector" | "signal" | "timeoutMs">,
  more: MoreOfFiles = {},
): Promise<CheckOutcome> {
  return attempt(input, async (): Promise<CheckOutcome> => {
    let store: FileStore | undefined;
    try {
      const opened = await openStore(spec, input);
      store = opened.store;
      return await look(spec, { ...opened, ...more }, input.signal);
    } catch (error) {
      if (input.signal.aborted) throw error;
      const about = isNotTried(error) ? { untried: true } : {};
      if (error instanceof FolderError) return refused(error.errorType, error.message, about);
      const isListing = [S3Refusal, AwsRefusal, GoogleRefusal].some(
        (kind) => error instanceof kind,
      );
      const message = error instanceof Error ? error.message : String(error);
      return refused(isListing ? "listing_error" : "connection_error", message, about);
    } finally {
      store?.close?.();
    }
  });
}

async function look(
  spec: FolderSpec,
  { store, pattern, ...more }: Awaited<ReturnType<typeof openStore>> & MoreOfFiles,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  const now = new Date();
  const { levels, matches } = pattern;
  const filter = { ...filterOf(spec, now), matches: more.matches ?? matches };
  const listing = await listFiles({ store, levels, filter, now, signal, kept: mostSeen });
  const isLocal = readFolderPath(spec).backend === "local";
  const isAsked = spec.availableSize !== undefined || spec.totalSize !== undefined;
  const space = isLocal || isAsked ? await store.space?.() : undefined;
  const { oldest, newest, smallest, largest, files, count, size: bytes, notes } = listing;
  const found = {
    ...(oldest && { oldest }),
    ...(newest && { newest }),
    ...(smallest && { smallest }),
    ...(largest && { largest }),
    count,
    size: bytes,
    ...(space && { availableSize: space.available, totalSize: space.total }),
    files,
    ...(notes.length > 0 && { notes }),
  };
  const bad =
    more.judge?.(listing, now) ??
    judge({ spec, listing, space, isFinite: store.space !== undefined, now });
  const errorType = bad?.errorType ?? "";
  const details = {
    ...found,
    files: files.slice(0, mostDescribed),
    ...(bad && { errorType }),
  };
  const data = () => ({ results: found as unknown as Value, errorType });
  if (bad) return failed(bad.error, { details, data });
  const summary = `${count} file${count === 1 ? "" : "s"}, ${formatSize(bytes)}`;
  return passed([summary, ...notes].join("; "), { details, data });
}
