import { z } from "zod";
import { awsShape, bucketShape } from "./cloud-fields.ts";
import { commonShape, count, durationText, patternText, sizeText } from "./fields.ts";
import { fileFilter } from "./folder.ts";

/** An earlier check of buckets. Numbers are about the newest object; texts mean what they mean of folders. */
export const s3BucketSpec = z
  .looseObject({
    ...commonShape,
    ...awsShape,
    bucket: z.string().min(1).max(255).describe("Name of the bucket."),
    usePathStyle: bucketShape.usePathStyle,
    objectPath: patternText
      .optional()
      .describe("Only objects whose names match this regular expression (RE2 syntax)."),
    filter: fileFilter.optional(),
    readWrite: z.boolean().optional().describe("Accepted; nothing is written."),
    minAge: durationText.optional().describe("The newest object must be at least this old."),
    maxAge: z
      .union([z.int().min(0).max(31_536_000_000), durationText])
      .optional()
      .describe(
        "A number: seconds that the newest object may be old. A text such as 7d: the oldest may be.",
      ),
    minCount: count.optional().describe("Fewest objects."),
    maxCount: count.optional().describe("Most objects."),
    minSize: z
      .union([z.int().min(0), sizeText])
      .optional()
      .describe(
        "A number: bytes that the newest object must have. A text such as 50M: the smallest must have.",
      ),
    maxSize: sizeText.optional().describe("The largest object must be at most this large."),
  })
  .superRefine(({ objectPath, filter }, context) => {
    if (objectPath !== undefined && filter?.regex !== undefined)
      context.addIssue({
        code: "custom",
        path: ["objectPath"],
        message: "Set objectPath or filter.regex, not both: they mean the same.",
      });
  })
  .describe("Objects in a bucket that speaks S3, as earlier versions checked them.");

export type S3BucketSpec = z.output<typeof s3BucketSpec>;
