import { z } from "zod";
import { awsShape, bucketShape } from "./cloud-fields.ts";
import { commonShape } from "./fields.ts";

export const s3Spec = z
  .looseObject({
    ...commonShape,
    ...awsShape,
    ...bucketShape,
    bucketName: bucketShape.bucket.describe("Another spelling of bucket."),
    objectPath: z
      .string()
      .max(512)
      .optional()
      .describe("Folder in the bucket that is listed and written to."),
    storageClass: z
      .string()
      .max(64)
      .optional()
      .describe("Accepted; what is written is deleted at once."),
  })
  .transform((spec) => ({ ...spec, bucket: spec.bucket || spec.bucketName }))
  .describe("Listing, writing and reading in object storage that speaks S3.");

export type S3Spec = z.output<typeof s3Spec>;
