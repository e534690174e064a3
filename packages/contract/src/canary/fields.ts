import { RE2JS } from "re2js";
import { z } from "zod";
import { labels, longestName, nameText } from "../documents/metadata.ts";
import { parseDuration } from "../duration.ts";
import { isTimeZone, parseSchedule } from "../schedule.ts";
import { selectorSpec } from "../resource-selector/lookup.ts";
import { secret, secretIn } from "../secrets/marks.ts";
import { parseSize } from "../size.ts";

const longestPattern = 1000;

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** A string that `read` must accept; what it throws is the message. */
const readable = (read: (text: string) => unknown) =>
  z.string().superRefine((text, context) => {
    try {
      read(text);
    } catch (error) {
      context.addIssue({ code: "custom", message: messageOf(error) });
    }
  });

export const durationText = readable(parseDuration);
export const sizeText = readable(parseSize);
export const scheduleText = readable((text) => parseSchedule(text));
export const patternText = readable((text) => {
  if (text.length > longestPattern)
    throw new Error(`The pattern is longer than ${longestPattern} characters.`);
  try {
    RE2JS.compile(text);
  } catch (error) {
    throw new Error(
      `"${text.slice(0, 80)}" is not a regular expression (RE2 syntax): ${messageOf(error)}`,
      { cause: error },
    );
  }
});
export const timeZoneName = z.string().refine(isTimeZone, {
  error: (issue) => `"${String(issue.input)}" is not a time zone name such as Europe/Berlin`,
});

/** A duration, or whole seconds where the family writes a number. */
export const durationOrSeconds = z.union([durationText, z.int().min(0).max(86_400)]);

/** Milliseconds of a field that holds a duration or whole seconds. */
export const spanMs = (value: string | number): number =>
  typeof value === "number" ? value * 1000 : parseDuration(value);

export const count = z.int().min(0);
export const millis = z.int().min(0).max(86_400_000);
export const percent = z.number().min(0).max(100);
export const portNumber = z.int().min(1).max(65_535);

const keySelector = z
  .looseObject({
    name: z.string().optional().describe("Name of the Kubernetes object."),
    key: z.string().min(1).describe("Key inside it."),
    optional: z.boolean().optional().describe("Accepted and ignored."),
  })
  .describe("A key of a Kubernetes object.");

export const valueFrom = z
  .looseObject({
    secretKeyRef: keySelector.optional().describe("Take the value from a key of a"),
    configMapKeyRef: keySelector.optional().describe("Take the value from a key of a ConfigMap."),
    helmRef: keySelector
      .optional()
      .describe("Take the value from the values of a Helm release; the key is a JSONPath."),
    serviceAccount: z.string().optional().describe("A short-lived token of this service account."),
  })
  .describe("Where the value comes from.");

const scalar = z
  .union([z.string(), z.number(), z.boolean()], {
    error: "Expected a text, a number, or an object with value or valueFrom.",
  })
  .transform((value): EnvVar => ({ value: String(value) }));

/** A value that is written down, or says where it comes from. */
export interface EnvVar {
  name?: string;
  value?: string;
  valueFrom?: z.infer<typeof valueFrom>;
}

const envVarObject = z.looseObject({
  name: z
    .string()
    .optional()
    .describe("Name of the header or variable, where this stands in a list."),
  value: z
    .union([z.string(), z.number(), z.boolean()], { error: "Expected a text." })
    .transform((value) => String(value))
    .optional()
    .describe("The value itself."),
  valueFrom: valueFrom.optional(),
});

/** A plain scalar has the meaning of a literal value. */
export const envVar = z.union([scalar, envVarObject]);
/** In lists (headers, environment) the name is the key. */
const namedEnvVar = envVarObject.extend({
  name: nameText.describe("Name of the header or variable."),
});
/** Any header may carry credentials, but for a few that never do. */
export const headerVar = namedEnvVar.extend({
  value: secretIn("header", envVarObject.shape.value).describe("The value itself."),
});
export const secretVar = namedEnvVar.extend({
  value: secret(envVarObject.shape.value).describe("The value itself."),
});

export const severities = [
  "critical",
  "blocker",
  "high",
  "medium",
  "warning",
  "low",
  "info",
] as const;

/** For editors: the words that are known, beside any text. */
export const offering = (words: readonly string[]) => ({
  anyOf: [{ enum: [...words] }, { type: "string" }],
});

/** Any case is read, lower case is written. Which words there are is judged of documents (`known-words.ts`). */
export const severity = z
  .string()
  .min(1)
  .max(64)
  .transform((text) => text.toLowerCase())
  .meta(offering(severities));

/** What becomes of transformed checks that disappear. */
export const deleteStrategies = ["MarkHealthy", "MarkUnhealthy", "Ignore"] as const;
export const metricTypes = ["gauge", "counter", "histogram"] as const;

const script = (what: string) =>
  z
    .looseObject({
      expr: z.string().optional().describe("A CEL expression."),
      template: z.string().optional().describe("A Go template."),
      javascript: z
        .string()
        .optional()
        .describe("JavaScript; the value of the last expression counts."),
      jsonPath: z.string().optional().describe("A JSONPath into what scripts see."),
      jsonpath: z.string().optional().describe("Another spelling of jsonPath."),
    })
    .describe(what);

export const tls = z
  .looseObject({
    enable: z.boolean().optional().describe("Speak TLS."),
    insecureSkipVerify: z.boolean().optional().describe("Accept any certificate."),
    handshakeTimeout: z
      .union([durationText, z.int().min(0)])
      .optional()
      .describe("Accepted; the timeout of the check covers the handshake."),
    ca: secretIn("key", envVar).optional().describe("PEM certificate of the authority to trust."),
    cert: secretIn("key", envVar).optional().describe("PEM certificate to present."),
    key: secret(envVar).optional().describe("PEM key of the certificate to present."),
  })
  .describe("How TLS is spoken.");

export const maxSSLExpiry = count
  .max(36_500)
  .describe("Days that the certificate must still be valid for.");

/** Tries after a failed one. */
export const retries = z
  .looseObject({
    delay: durationText.optional().describe("Wait so long before the first of them."),
    interval: durationText
      .optional()
      .describe("Wait so long before each further one; 1s when absent."),
    timeout: durationText.optional().describe("No try begins after this long."),
    maxRetries: z
      .int()
      .min(0)
      .max(100)
      .optional()
      .describe("Tries after the first; 3 when neither this nor timeout is set."),
    disabled: z
      .boolean()
      .optional()
      .describe("No tries after the first, whatever the document says."),
  })
  .describe("Tries after a failed one; the result is that of the last.");
export type Retries = z.output<typeof retries>;

const metricLabel = z.looseObject({
  name: z.string().describe("Name of the label."),
  value: z.string().optional().describe("What it says."),
  valueExpr: z.string().optional().describe("A CEL expression that says it."),
});

const metric = z
  .looseObject({
    name: z.string().describe("Name of the metric."),
    type: z
      .string()
      .meta(offering(metricTypes))
      .optional()
      .describe("gauge, counter or histogram; gauge when absent."),
    value: z.string().optional().describe("A CEL expression that gives a number."),
    labels: z.array(metricLabel).max(20).optional().describe("Labels of the value."),
  })
  .describe("A metric that each result gives a value to.");

const mostRelated = 100;
const related = z.array(selectorSpec).max(mostRelated).optional();

/** What a check belongs to, told by lookups; a label is one of the check. */
export const relationships = z
  .looseObject({
    components: related.describe("Components of the topology."),
    configs: related.describe("Items of the catalog."),
  })
  .describe("Components and catalog items that this check belongs to.");

/** What every check may hold, whatever its type. */
export const commonShape = {
  test: script("Decides whether the check passes.").optional(),
  display: script("Writes the message of the result.").optional(),
  transform: script("Makes other checks out of the result.").optional(),
  name: z
    .string()
    .max(longestName, `The name is longer than ${longestName} characters.`)
    .optional()
    .describe(
      "Name of the check, unique among the checks of its type in this document; without one it is called like what it looks at.",
    ),
  description: z.string().max(4096).optional().describe("What is checked and why, for people."),
  namespace: z
    .union([z.string().max(longestName), z.looseObject({})])
    .optional()
    .describe("Namespace to show the check under; the document's own when absent."),
  icon: z.string().max(longestName).optional().describe("Icon to show."),
  severity: severity.optional().describe("How bad a failure is; the document's when absent."),
  labels: labels.optional().describe("Labels of the check, over the labels of the document."),
  timeout: durationText.optional().describe("The check fails after this long, for example 10s."),
  consecutiveFailures: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe("Failures in a row until the check counts as unhealthy."),
  consecutiveSuccesses: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe("Passes in a row until the check counts as healthy again."),
  transformDeleteStrategy: z
    .string()
    .meta(offering(deleteStrategies))
    .optional()
    .describe(
      "What becomes of transformed checks that disappear: MarkHealthy, MarkUnhealthy or Ignore.",
    ),
  markFailOnEmpty: z.boolean().optional().describe("An empty result is a failure."),
  dependsOn: z
    .array(z.string())
    .max(100)
    .optional()
    .describe(
      "Names of checks of this document that run before this one; scripts see them under outputs.",
    ),
  retries: retries.optional(),
  metrics: z
    .array(metric)
    .max(20)
    .optional()
    .describe("Metrics of the server that each result gives values to."),
  relationships: relationships.optional(),
} as const;

/** Connection, address and credentials, as most types of the family hold them. */
export const connectionShape = {
  connection: secretIn("address", z.string().max(2048))
    .optional()
    .describe(
      "A stored connection (connection://namespace/name), or an address. A password in it is secret.",
    ),
  url: secretIn("address", z.string().max(8192))
    .optional()
    .describe("Address of the target. A password in it is secret."),
  username: envVar.optional().describe("User name."),
  password: secret(envVar).optional().describe("Password."),
} as const;

const authentication = z
  .looseObject({
    username: envVar.optional().describe("User name."),
    password: secret(envVar).optional().describe("Password."),
  })
  .describe("Credentials, as the form editor groups them.");

/** Keys that the form editor of the reference console writes for credentials. */
export const authenticationShape = {
  basic: z.boolean().optional().describe("Credentials are under authentication."),
  authentication: authentication.optional(),
  auth: authentication.optional().describe("What earlier versions call authentication."),
} as const;

interface WithAuthentication {
  username?: EnvVar;
  password?: EnvVar;
  authentication?: { username?: EnvVar; password?: EnvVar };
}

/** Moves the grouped credentials to where the rest of the program reads them. */
export function flattenAuthentication<Spec extends WithAuthentication>(spec: Spec): Spec {
  if (!spec.authentication) return spec;
  const { username, password } = spec.authentication;
  return { ...spec, username: spec.username ?? username, password: spec.password ?? password };
}
