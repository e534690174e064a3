import {
  type FolderSpec,
  formatDuration,
  formatSize,
  parseDuration,
  parseSize,
} from "@mainstay/contract";
import type { Space, StoreErrorType } from "#platform/outbound/files/file-store.ts";
import type { Listing } from "#platform/outbound/files/list-files.ts";

/** What is wrong with a folder, in the family's vocabulary. */
export type ErrorType =
  | StoreErrorType
  | "min_age"
  | "max_age"
  | "min_count"
  | "max_count"
  | "available_size"
  | "total_size"
  | "min_size"
  | "max_size";

export const durationOf = (text: string | undefined) =>
  text === undefined ? undefined : parseDuration(text);
export const sizeOf = (text: string | undefined) =>
  text === undefined ? undefined : parseSize(text);

export interface Unmet {
  error: string;
  errorType: ErrorType;
}

interface Judged {
  spec: FolderSpec;
  listing: Listing;
  /** Where the store tells it. */
  space: Space | undefined;
  /** The store has an end at all. */
  isFinite: boolean;
  now: Date;
}

/** The first expectation that is not met, with its name in the family's vocabulary. */
export function judge(judged: Judged): Unmet | undefined {
  return judgeFiles(judged) ?? judgeSpace(judged);
}

const bad = (errorType: ErrorType, error: string): Unmet => ({ errorType, error });

function judgeFiles({ spec, listing, now }: Judged): Unmet | undefined {
  const { count, newest, oldest, smallest, largest } = listing;
  const ageOf = (file: { modified: Date }) => Math.max(0, now.getTime() - file.modified.getTime());
  const age = (ms: number) => formatDuration(Math.floor(ms / 1000) * 1000);
  const minAge = durationOf(spec.minAge);
  const maxAge = durationOf(spec.maxAge);

  if (minAge !== undefined && newest && ageOf(newest) < minAge)
    return bad(
      "min_age",
      `${newest.name} is ${age(ageOf(newest))} old, at least ${spec.minAge} wanted`,
    );
  if (maxAge !== undefined && oldest && ageOf(oldest) > maxAge)
    return bad(
      "max_age",
      `${oldest.name} is ${age(ageOf(oldest))} old, at most ${spec.maxAge} wanted`,
    );
  if (spec.minCount !== undefined && count < spec.minCount)
    return bad("min_count", `${count} files found, at least ${spec.minCount} wanted`);
  if (spec.maxCount !== undefined && count > spec.maxCount)
    return bad("max_count", `${count} files found, at most ${spec.maxCount} wanted`);
  const minSize = sizeOf(spec.minSize);
  const maxSize = sizeOf(spec.maxSize);
  if (minSize !== undefined && smallest && smallest.size < minSize)
    return bad(
      "min_size",
      `${smallest.name} has ${formatSize(smallest.size)}, at least ${spec.minSize} wanted`,
    );
  if (maxSize !== undefined && largest && largest.size > maxSize)
    return bad(
      "max_size",
      `${largest.name} has ${formatSize(largest.size)}, at most ${spec.maxSize} wanted`,
    );
  return undefined;
}

function judgeSpace({ spec, space, isFinite }: Judged): Unmet | undefined {
  const available = sizeOf(spec.availableSize);
  const total = sizeOf(spec.totalSize);
  if (available === undefined && total === undefined) return undefined;
  if (!space)
    return bad(
      "available_size",
      isFinite
        ? `the free space of ${spec.path} cannot be read: there is no such folder, or the server does not tell`
        : "object storage has no free space: availableSize and totalSize cannot be judged",
    );
  if (available !== undefined && space.available < available)
    return bad(
      "available_size",
      `${formatSize(space.available)} are free, at least ${spec.availableSize} wanted`,
    );
  if (total !== undefined && space.total < total)
    return bad(
      "total_size",
      `the file system has ${formatSize(space.total)}, at least ${spec.totalSize} wanted`,
    );
  return undefined;
}
