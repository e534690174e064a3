import { z } from "zod";
import { secretIn } from "../secrets/marks.ts";
import { awsShape, bucketShape, gcpShape } from "./cloud-fields.ts";
import { commonShape, count, durationText, patternText, sizeText } from "./fields.ts";
import { sftpConnection, smbConnection } from "./share-fields.ts";

export const fileFilter = z
  .looseObject({
    minAge: durationText.optional().describe("Only files at least this old."),
    maxAge: durationText.optional().describe("Only files at most this old."),
    since: z
      .string()
      .max(4096)
      .optional()
      .describe(
        "Only files changed since: now-1d, an RFC 3339 time, or a template that gives one.",
      ),
    minSize: sizeText.optional().describe("Only files at least this large."),
    maxSize: sizeText.optional().describe("Only files at most this large."),
    regex: patternText
      .optional()
      .describe(
        "Only files whose name, or way to it, matches this regular expression (RE2 syntax).",
      ),
  })
  .describe("Which files count.");

export const folderSpec = z
  .looseObject({
    ...commonShape,
    path: secretIn("address", z.string().min(1).max(4096)).describe(
      "Folder to look into, on this machine or s3://bucket/…, gcs://bucket/…, smb://server/share/…; * and ** stand for names and folders.",
    ),
    recursive: z.boolean().optional().describe("Look into the folders inside as well."),
    filter: fileFilter.optional(),
    minAge: durationText.optional().describe("The newest file must be at least this old."),
    maxAge: durationText.optional().describe("The oldest file must be at most this old."),
    minCount: count.optional().describe("Fewest files."),
    maxCount: count.optional().describe("Most files."),
    minSize: sizeText.optional().describe("The smallest file must be at least this large."),
    maxSize: sizeText.optional().describe("The largest file must be at most this large."),
    availableSize: sizeText
      .optional()
      .describe("Free space that the file system must have; not for object storage."),
    totalSize: sizeText.optional().describe("The file system must be at least this large."),
    awsConnection: z
      .looseObject({ ...awsShape, ...bucketShape })
      .optional()
      .describe("Credentials for s3:// paths."),
    gcpConnection: z
      .looseObject({ ...gcpShape })
      .optional()
      .describe("Credentials for gcs:// paths."),
    smbConnection: smbConnection.optional(),
    sftpConnection: sftpConnection.optional(),
  })
  .describe("Files in a folder.");

export type FolderSpec = z.output<typeof folderSpec>;
