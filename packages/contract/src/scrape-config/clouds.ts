import { z } from "zod";
import { awsShape } from "../canary/cloud-fields.ts";
import { durationText, envVar } from "../canary/fields.ts";
import { secret, secretIn } from "../secrets/marks.ts";
import { baseShape } from "./base-fields.ts";
import { textList } from "./texts.ts";

const names = textList(1000, 1000);

const cloudtrail = z
  .looseObject({
    exclude: names.optional().describe("Names of events that are left out."),
    maxAge: durationText.optional().describe("Only events so young; 7d when absent."),
    max_age: durationText.optional().describe("Another spelling of maxAge."),
  })
  .transform(({ max_age, ...found }) => ({ ...found, maxAge: found.maxAge ?? max_age }))
  .describe("How events of CloudTrail become changes.");

const costFields = z.looseObject({
  s3BucketPath: z.string().max(4096).optional().describe("Where the answers are written."),
  s3_bucket_path: z.string().max(4096).optional().describe("Another spelling of s3BucketPath."),
  table: z.string().max(256).optional().describe("Table of the report."),
  database: z.string().max(256).optional().describe("Database of the report."),
  region: z.string().max(256).optional().describe("Region of the report."),
});
const costReporting = costFields.transform(({ s3_bucket_path, ...found }) => ({
  ...found,
  s3BucketPath: found.s3BucketPath ?? s3_bucket_path,
}));

const exclusion = z
  .looseObject({
    type: z.string().max(1000).optional().describe("Type of the items, with * and !."),
    name: z.string().max(1000).optional().describe("Their names, with * and !."),
    tags: z
      .record(z.string().max(1000), z.string().max(1000))
      .optional()
      .describe("Their tags, with * and !."),
  })
  .describe("Items that are left out; all that is given must hold.");

const regions = textList(256, 100).optional();

export const awsScraper = z
  .looseObject({
    ...baseShape,
    ...awsShape,
    region: regions.describe("Regions, for example eu-central-1."),
    awsConnection: z
      .looseObject({ ...awsShape, region: regions.describe("Regions.") })
      .optional()
      .describe("Credentials, as form editors group them; what stands outside counts first."),
    compliance: z
      .boolean()
      .optional()
      .describe("Make insights of what rules of AWS Config find, too."),
    cloudtrail: cloudtrail.optional(),
    include: names
      .optional()
      .describe("What is read: EC2instance, EBS, VPC, subnet, RDS, S3Bucket …; all when absent."),
    exclude: names
      .optional()
      .describe("What is not read, by the same names; ECSTaskDefinition when absent."),
    exclusions: z.array(exclusion).max(500).optional().describe("Items that are left out."),
    costReporting: costReporting
      .optional()
      .describe("The cost and usage report that costs of items are read from."),
    cost_reporting: costReporting.optional().describe("Another spelling of costReporting."),
    inventory: z.boolean().optional().describe("Accepted; items are read either way."),
    trusted_advisor_check: z
      .boolean()
      .optional()
      .describe("Make insights of what Trusted Advisor warns of; needs a support plan."),
    patch_states: z
      .boolean()
      .optional()
      .describe("Make an insight of how many patches each machine lacks."),
    patch_details: z
      .boolean()
      .optional()
      .describe("Make an insight of each patch that a machine lacks."),
  })
  .transform(({ awsConnection, cost_reporting, ...spec }) => ({
    ...awsConnection,
    ...spec,
    costReporting: spec.costReporting ?? cost_reporting,
  }))
  .describe("Resources of Amazon, with their events as changes.");

export type AwsScraper = z.output<typeof awsScraper>;

const selectors = z.array(z.looseObject({})).max(50).optional();

const entra = z
  .looseObject({
    users: selectors.describe("Users."),
    groups: selectors.describe("Groups."),
    appRegistrations: selectors.describe("Registrations of applications."),
    enterpriseApps: selectors.describe("Enterprise applications."),
    appRoleAssignments: selectors.describe("Who has which role of which application."),
  })
  .describe(
    "The directory of the tenant: of each list what a selector says by id or name, with * and !.",
  );

export const azureScraper = z
  .looseObject({
    ...baseShape,
    connection: secretIn("address", z.string().max(2048))
      .optional()
      .describe("A stored connection (connection://namespace/name) with the credentials."),
    subscriptionID: z.string().min(1).max(256).describe("Id of the subscription."),
    organisation: z.string().max(256).optional().describe("Accepted; nothing reads it."),
    clientID: envVar.optional().describe("Id of the application."),
    clientSecret: secret(envVar).optional().describe("Secret of the application."),
    tenantID: z.string().max(256).optional().describe("Id of the tenant."),
    endpoint: z
      .string()
      .max(2048)
      .optional()
      .describe(
        "Our addition: address of the management API of another cloud; https://management.azure.com when absent.",
      ),
    loginEndpoint: z
      .string()
      .max(2048)
      .optional()
      .describe(
        "Our addition: where another cloud signs in; https://login.microsoftonline.com when absent.",
      ),
    graphEndpoint: z
      .string()
      .max(2048)
      .optional()
      .describe(
        "Our addition: address of Microsoft Graph of another cloud; that of the cloud of endpoint when absent.",
      ),
    include: names.optional().describe("Names of what is read; all when absent."),
    exclusions: z
      .looseObject({
        activityLogs: names
          .optional()
          .describe("Operations of the activity log by their names, with * and !."),
      })
      .optional()
      .describe("What is left out."),
    entra: entra.optional(),
  })
  .describe("Resources of Azure, with advice as insights and the activity log as changes.");

export type AzureScraper = z.output<typeof azureScraper>;
