import { z } from "zod";
import { gcpShape } from "./cloud-fields.ts";
import { commonShape, durationText } from "./fields.ts";

export const databaseBackupSpec = z
  .looseObject({
    ...commonShape,
    gcp: z
      .looseObject({
        project: z.string().min(1).max(256).describe("Id of the project."),
        instance: z.string().min(1).max(256).describe("Name of the Cloud SQL instance."),
        gcpConnection: z.looseObject(gcpShape).optional().describe("Who asks Google."),
      })
      .describe("An instance of Google's Cloud SQL."),
    maxAge: durationText
      .optional()
      .describe("The newest backup that succeeded must be at most this old."),
  })
  .describe("Backups of a managed database.");

export type DatabaseBackupSpec = z.output<typeof databaseBackupSpec>;
