import { statfs } from "node:fs/promises";
import {
  checkSpecs,
  type FolderSpec,
  formatDuration,
  formatSize,
  parseDuration,
  parseSize,
} from "@mainstay/contract";
import type { Value } from "@mainstay/scripting";
import { attempt, checkType, type CheckOutcome, failed, passed } from "../check-type.ts";
import { type FileFilter, listFiles, type Listing } from "./list-files.ts";
import { parseSince } from "./since.ts";
import { RE2JS } from "re2js";

/** Files that a result describes one by one. */
const mostDescribed = 100;

const duration = (text: string | undefined) =>
  text === undefined ? undefined : parseDuration(text);
const size = (text: string | undefined) => (text === undefined ? undefined : parseSize(text));

function filterOf(spec: FolderSpec, now: Date): FileFilter {
  const { filter } = spec;
  return {
    minAgeMs: duration(filter?.minAge),
    maxAgeMs: duration(filter?.maxAge),
    since: filter?.since === undefined ? undefined : parseSince(filter.since, now),
    minSize: size(filter?.minSize),
    maxSize: size(filter?.maxSize),
    // An engine whose time grows with the length of the name alone: no pattern can stall the server.
    regex: filter?.regex === undefined ? undefined : RE2JS.compile(filter.regex),
  };
}

interface Space {
  available: number;
  total: number;
}

/** The first expectation that is not met, with its name in the family's vocabulary. */
function judge(
  spec: FolderSpec,
  listing: Listing,
  space: Space | undefined,
  now: Date,
): { error: string; errorType: string } | undefined {
  const { count, newest, oldest, smallest, largest } = listing;
  const ageOf = (file: { modified: Date }) => Math.max(0, now.getTime() - file.modified.getTime());
  const age = (ms: number) => formatDuration(Math.floor(ms / 1000) * 1000);
  const minAge = duration(spec.minAge);
  const maxAge = duration(spec.maxAge);
  const bad = (errorType: string, error: string) => ({ errorType, error });

  if (minAge !== undefined && newest && ageOf(newest) < minAge) {
    return bad(
      "min_age",
      `${newest.name} is ${age(ageOf(newest))} old, at least ${spec.minAge} wanted`,
    );
  }
  if (maxAge !== undefined && oldest && ageOf(oldest) > maxAge) {
    return bad(
      "max_age",
      `${oldest.name} is ${age(ageOf(oldest))} old, at most ${spec.maxAge} wanted`,
    );
  }
  if (spec.minCount !== undefined && count < spec.minCount)
    return bad("min_count", `${count} files found, at least ${spec.minCount} wanted`);
  if (spec.maxCount !== undefined && count > spec.maxCount)
    return bad("max_count", `${count} files found, at most ${spec.maxCount} wanted`);
  const minSize = size(spec.minSize);
  const maxSize = size(spec.maxSize);
  if (minSize !== undefined && smallest && smallest.size < minSize) {
    return bad(
      "min_size",
      `${smallest.name} has ${formatSize(smallest.size)}, at least ${spec.minSize} wanted`,
    );
  }
  if (maxSize !== undefined && largest && largest.size > maxSize) {
    return bad(
      "max_size",
      `${largest.name} has ${formatSize(largest.size)}, at most ${spec.maxSize} wanted`,
    );
  }
  const available = size(spec.availableSize);
  const total = size(spec.totalSize);
  if (available !== undefined || total !== undefined) {
    if (!space)
      return bad(
        "available_size",
        `the free space of ${spec.path} cannot be read: there is no such folder`,
      );
    if (available !== undefined && space.available < available) {
      return bad(
        "available_size",
        `${formatSize(space.available)} are free, at least ${spec.availableSize} wanted`,
      );
    }
    if (total !== undefined && space.total < total) {
      return bad(
        "total_size",
        `the file system has ${formatSize(space.total)}, at least ${spec.totalSize} wanted`,
      );
    }
  }
  return undefined;
}

async function spaceOf(path: string): Promise<Space | undefined> {
  try {
    const { bavail, blocks, bsize } = await statfs(path);
    return { available: bavail * bsize, total: blocks * bsize };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

export const folder = checkType<FolderSpec>({
  type: "folder",
  spec: checkSpecs.folder,
  network: false,
  endpoint: (spec) => spec.path,
  async run(input) {
    const { spec, signal } = input;
    return attempt(input, async (): Promise<CheckOutcome> => {
      const now = new Date();
      const listing = await listFiles({
        path: spec.path,
        recursive: spec.recursive === true,
        filter: filterOf(spec, now),
        now,
        signal,
        kept: mostDescribed,
      });
      const space = await spaceOf(spec.path);
      const { oldest, newest, smallest, largest, files, count, size: bytes, notes } = listing;
      const details = {
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
      const bad = judge(spec, listing, space, now);
      const data = () => ({
        results: details as unknown as Value,
        errorType: bad?.errorType ?? "",
      });
      if (bad)
        return failed(bad.error, { details: { ...details, errorType: bad.errorType }, data });
      const summary = `${count} file${count === 1 ? "" : "s"}, ${formatSize(bytes)}`;
      return passed([summary, ...notes].join("; "), { details, data });
    });
  },
});
