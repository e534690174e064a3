import { z } from "zod";
import { gcpShape } from "./cloud-fields.ts";
import { commonShape, durationText } from "./fields.ts";

const instance = z
  .looseObject({
    project: z.string().min(1).max(256).describe("Id of the project."),
    instance: z.string().min(1).max(256).describe("Name of the Cloud SQL instance."),
    gcpConnection: z.looseObject(gcpShape).optional().describe("Who asks Google."),
  })
  .describe("An instance of Google's Cloud SQL.");

export const databaseBackupSpec = z
  .looseObject({
    ...commonShape,
    gcp: instance.optional(),
    GCP: instance.optional().describe("Another spelling of gcp."),
    maxAge: durationText
      .optional()
      .describe("The newest backup that succeeded must be at most this old."),
  })
  .superRefine(({ gcp, GCP }, context) => {
    if (gcp || GCP) return;
    const message = '"gcp" is missing: expected a mapping.';
    context.addIssue({ code: "custom", path: ["gcp"], message });
  })
  // One of the two is there.
  .transform(({ gcp, GCP, ...spec }) => ({ ...spec, gcp: (gcp ?? GCP)! }))
  .describe("Backups of a managed database.");

export type DatabaseBackupSpec = z.output<typeof databaseBackupSpec>;
