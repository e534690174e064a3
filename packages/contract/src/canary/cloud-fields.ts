import { z } from "zod";
import { secret, secretIn } from "../secrets/marks.ts";
import { envVar } from "./fields.ts";

const connection = secretIn("address", z.string().max(2048)).optional();
const endpoint = secretIn("address", z.string().max(8192)).optional();

/** Who asks Amazon, or a service that speaks like it. A connection of type `aws` or `s3` fills it. */
export const awsShape = {
  connection: connection.describe("A stored connection (connection://namespace/name)."),
  accessKey: secret(envVar).optional().describe("Id of the access key."),
  secretKey: secret(envVar).optional().describe("The secret of the access key."),
  sessionToken: secret(envVar).optional().describe("Token of temporary credentials."),
  assumeRole: z.string().max(2048).optional().describe("ARN of a role to take on."),
  region: z.string().max(256).optional().describe("Region, for example eu-central-1."),
  endpoint: endpoint.describe("Address of the service where it is not Amazon's own."),
  skipTLSVerify: z.boolean().optional().describe("Accept any certificate."),
} as const;

/** Where in object storage that speaks S3. */
export const bucketShape = {
  bucket: z.string().max(255).optional().describe("Name of the bucket."),
  objectPath: z
    .string()
    .max(1024)
    .optional()
    .describe("Only objects whose names begin like this; * and ** are read as in paths."),
  usePathStyle: z
    .boolean()
    .optional()
    .describe("Write the bucket into the path of addresses instead of their host."),
} as const;

/** Who asks Google Cloud. A connection of type `google_cloud` or `gcs` fills it. */
export const gcpShape = {
  connection: connection.describe("A stored connection (connection://namespace/name)."),
  endpoint: endpoint.describe("Address of the service where it is not Google's own."),
  credentials: secret(envVar)
    .optional()
    .describe("The JSON of a service account's key; public data needs none."),
  project: z.string().max(256).optional().describe("Id of the project."),
  skipTLSVerify: z.boolean().optional().describe("Accept any certificate."),
  bucket: bucketShape.bucket,
} as const;
