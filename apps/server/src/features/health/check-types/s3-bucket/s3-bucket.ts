import {
  checkSpecs,
  type FolderSpec,
  formatDuration,
  formatSize,
  type S3BucketSpec,
} from "@mainstay/contract";
import { RE2JS } from "re2js";
import type { Listing } from "#platform/outbound/files/list-files.ts";
import { checkType } from "../check-type.ts";
import { checkFiles } from "../folder/folder.ts";
import type { Unmet } from "../folder/judge.ts";

/** The bucket as a folder, with what is said of it in texts. */
function folderOf(spec: S3BucketSpec): FolderSpec {
  const { bucket, objectPath: _pattern, readWrite: _write, ...rest } = spec;
  const { connection, accessKey, secretKey, sessionToken, assumeRole, region, endpoint } = spec;
  const { skipTLSVerify, usePathStyle, maxAge, minSize } = spec;
  const text = (value: string | number | undefined) =>
    typeof value === "string" ? value : undefined;
  return {
    ...rest,
    path: `s3://${bucket}/`,
    recursive: true,
    maxAge: text(maxAge),
    minSize: text(minSize),
    awsConnection: {
      connection,
      accessKey,
      secretKey,
      sessionToken,
      assumeRole,
      region,
      endpoint,
      skipTLSVerify,
      usePathStyle,
    },
  };
}

/** What numbers, and a pattern of names, ask of the newest object. */
function judgeNewest(spec: S3BucketSpec, { newest }: Listing, now: Date): Unmet | undefined {
  const { maxAge, minSize, objectPath, bucket } = spec;
  const isAsked = objectPath !== undefined || [maxAge, minSize].some(Number.isFinite);
  if (!isAsked) return undefined;
  if (!newest)
    return {
      errorType: "min_count",
      error: `no object of the bucket "${bucket}"${objectPath === undefined ? "" : ` matches ${objectPath}`}`,
    };
  const ageMs = Math.max(0, now.getTime() - newest.modified.getTime());
  if (typeof maxAge === "number" && ageMs > maxAge * 1000)
    return {
      errorType: "max_age",
      error: `${newest.name}, the newest, is ${formatDuration(Math.floor(ageMs / 1000) * 1000)} old, at most ${formatDuration(maxAge * 1000)} wanted`,
    };
  if (typeof minSize === "number" && newest.size < minSize)
    return {
      errorType: "min_size",
      error: `${newest.name}, the newest, has ${formatSize(newest.size)}, at least ${formatSize(minSize)} wanted`,
    };
  return undefined;
}

export const s3Bucket = checkType<S3BucketSpec>({
  type: "s3Bucket",
  spec: checkSpecs.s3Bucket,
  network: true,
  endpoint: ({ bucket, endpoint }) => (endpoint ? `${endpoint}/${bucket}` : bucket),
  run(input) {
    const { spec } = input;
    // An engine whose time grows with the length of the name alone: no pattern can stall the server.
    const pattern = spec.objectPath === undefined ? undefined : RE2JS.compile(spec.objectPath);
    return checkFiles(folderOf(spec), input, {
      ...(pattern && { matches: (name) => pattern.matcher(name).find() }),
      judge: (listing, now) => judgeNewest(spec, listing, now),
    });
  },
});
