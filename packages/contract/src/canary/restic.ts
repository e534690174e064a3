import { z } from "zod";
import { secret, secretIn } from "../secrets/marks.ts";
import { awsShape } from "./cloud-fields.ts";
import { commonShape, connectionShape, durationText, envVar } from "./fields.ts";

export const resticSpec = z
  .looseObject({
    ...commonShape,
    connection: connectionShape.connection,
    repository: secretIn("address", z.string().max(4096))
      .optional()
      .describe(
        "Where the repository is, as restic writes it: s3:https://…, rest:https://…, sftp:… or a path.",
      ),
    password: secret(envVar).optional().describe("Password of the repository."),
    maxAge: durationText.optional().describe("The newest snapshot must be at most this old."),
    checkIntegrity: z.boolean().optional().describe("Have restic check the repository as well."),
    accessKey: awsShape.accessKey,
    secretKey: awsShape.secretKey,
    caCert: secretIn("key", z.string().max(65_536))
      .optional()
      .describe("Certificate to trust: PEM, or the path of a file on the server."),
    awsConnectionName: z
      .string()
      .max(2048)
      .optional()
      .describe("Not supported: name the credentials in connection."),
  })
  .describe("Snapshots of a restic repository.");

export type ResticSpec = z.output<typeof resticSpec>;
