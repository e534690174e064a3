import { z } from "zod";
import { awsShape } from "./cloud-fields.ts";
import { commonShape, offering } from "./fields.ts";

const names = z.array(z.string().min(1).max(255)).max(500);

export const complianceTypes = [
  "COMPLIANT",
  "NON_COMPLIANT",
  "NOT_APPLICABLE",
  "INSUFFICIENT_DATA",
] as const;

export const awsConfigSpec = z
  .looseObject({
    ...commonShape,
    ...awsShape,
    query: z
      .string()
      .min(1)
      .max(4096)
      .describe("What to select, in the SQL of AWS Config, for example SELECT resourceId WHERE …"),
    aggregatorName: z
      .string()
      .max(256)
      .optional()
      .describe("Aggregator to ask, for accounts and regions together."),
  })
  .describe("Resources that AWS Config finds.");
export type AwsConfigSpec = z.output<typeof awsConfigSpec>;

export const awsConfigRuleSpec = z
  .looseObject({
    ...commonShape,
    ...awsShape,
    rules: names.optional().describe("Rules to judge; all when absent."),
    ignoreRules: names.optional().describe("Rules that do not count."),
    complianceTypes: z
      .array(z.enum(complianceTypes, { error: `Expected one of ${complianceTypes.join(", ")}.` }))
      .optional()
      .describe("Which states to look at; all when absent."),
  })
  .describe("Rules of AWS Config, which fail while any resource breaks one.");
export type AwsConfigRuleSpec = z.output<typeof awsConfigRuleSpec>;

export const alarmStates = ["OK", "ALARM", "INSUFFICIENT_DATA"] as const;

export const cloudwatchSpec = z
  .looseObject({
    ...commonShape,
    ...awsShape,
    alarms: z
      .array(z.string().min(1).max(255))
      .max(100)
      .optional()
      .describe("Names of alarms; the first hundred when none are named."),
    alarmPrefix: z.string().max(255).optional().describe("What the names of alarms begin with."),
    actionPrefix: z
      .string()
      .max(1024)
      .optional()
      .describe("What an action of an alarm begins with."),
    state: z
      .string()
      .meta(offering(alarmStates))
      .transform((text) => text.toUpperCase())
      .pipe(z.enum(alarmStates, { error: `Expected one of ${alarmStates.join(", ")}.` }))
      .optional()
      .describe("Only alarms in this state."),
  })
  .superRefine((spec, context) => {
    if (spec.alarms?.length && spec.alarmPrefix)
      context.addIssue({
        code: "custom",
        path: ["alarmPrefix"],
        message: "Alarms are found by their names or by what these begin with, not by both.",
      });
  })
  .describe("Alarms of CloudWatch, which fail while any is in ALARM.");
export type CloudwatchSpec = z.output<typeof cloudwatchSpec>;

const seconds = z.int().min(0).max(86_400);

export const ec2Spec = z
  .looseObject({
    ...commonShape,
    ...awsShape,
    ami: z.string().max(256).optional().describe("Image of the machine."),
    instanceType: z.string().max(64).optional().describe("Kind of machine; t3.micro when absent."),
    userData: z.string().max(16_384).optional().describe("What the machine runs when it starts."),
    securityGroup: z.string().max(256).optional().describe("Id of its security group."),
    keepAlive: z.boolean().optional().describe("Leave the machine running."),
    waitTime: seconds.optional().describe("Seconds to wait once it runs."),
    timeOut: seconds.optional().describe("Seconds until it must run; 300 when absent."),
    canaryRef: z
      .array(z.looseObject({}))
      .optional()
      .describe("Canaries to run against the machine. Not supported yet."),
  })
  .describe("A machine of EC2 that is started, and ended again.");
export type Ec2Spec = z.output<typeof ec2Spec>;
