import type { AnalysisType, InsightSeverity } from "@mainstay/contract";
import type { AwsObject } from "#platform/outbound/aws/aws-value.ts";
import type { Found, ItemReference, ScrapedInsight } from "../../scraping/scraped.ts";
import { askJson, chunksOf, each, isCode, jsonPages } from "./apis.ts";
import { accountType, type Area } from "./area.ts";
import { referenceOf } from "./known-as.ts";
import { numberIn, objectIn, objectsIn, textIn, textsIn, timeIn } from "./read-object.ts";

/** What insights say of where they come from. */
export const sources = {
  config: "AWS Config",
  advice: "Trusted Advisor",
  patches: "AWS Systems Manager",
} as const;

/** Of one source in one region; more are not told, and it is said. */
const mostInsights = 20_000;

const insight = (found: Omit<ScrapedInsight, "status">): Found => ({
  kind: "insight",
  insight: { ...found, status: "open" },
});

/** The first of many, and how many there were. */
async function* bounded(
  { source, place = source }: { source: string; place?: string },
  all: AsyncIterable<Found>,
): AsyncGenerator<Found> {
  let count = 0;
  for await (const one of all) {
    count += 1;
    if (count > mostInsights) {
      yield {
        kind: "notice",
        message: `${place} tells more than ${mostInsights} insights; the first are kept.`,
        untold: { unseen: [], unjudged: [source] },
      };
      return;
    }
    yield one;
  }
}

/** What breaks the rules of AWS Config. */
export const readCompliance = (area: Area): AsyncGenerator<Found> =>
  bounded({ source: sources.config, place: `AWS Config of ${area.region}` }, compliance(area));

async function* compliance(area: Area): AsyncGenerator<Found> {
  const { client } = area;
  const broken = jsonPages(client, "config", "DescribeComplianceByConfigRule", {
    input: { ComplianceTypes: ["NON_COMPLIANT"] },
    asked: "NextToken",
  });
  for await (const page of broken)
    for (const { ConfigRuleName: rule } of objectsIn(page, "ComplianceByConfigRules")) {
      const details = jsonPages(client, "config", "GetComplianceDetailsByConfigRule", {
        input: { ConfigRuleName: rule, ComplianceTypes: ["NON_COMPLIANT"], Limit: 100 },
        asked: "NextToken",
      });
      for await (const answer of details)
        for (const result of objectsIn(answer, "EvaluationResults")) yield brokenRule(result, area);
    }
}

function brokenRule(result: AwsObject, area: Area): Found {
  const told = objectIn(
    objectIn(result, "EvaluationResultIdentifier"),
    "EvaluationResultQualifier",
  );
  const rule = textIn(told, "ConfigRuleName");
  const note = textIn(result, "Annotation");
  const at = timeIn(result, "ResultRecordedTime");
  return insight({
    item: referenceOf(textIn(told, "ResourceType"), textIn(told, "ResourceId"), area),
    analyzer: rule,
    externalAnalysisId: rule,
    analysisType: "compliance",
    severity: "medium",
    source: sources.config,
    summary: note === "" ? `Does not comply with ${rule}` : note,
    analysis: result,
    ...(at && { firstObserved: at }),
  });
}

/** What Trusted Advisor's groups are about. */
const categories: Readonly<Record<string, AnalysisType>> = {
  cost_optimizing: "cost",
  performance: "performance",
  security: "security",
  fault_tolerance: "reliability",
  service_limits: "availability",
  operational_excellence: "recommendation",
};
const advised: Readonly<Record<string, InsightSeverity>> = { error: "high", warning: "medium" };

/** Names of things within the words of a check, with their types. */
const named: readonly (readonly [RegExp, string])[] = [
  [/\barn:aws[\w-]*:[^\s,)]+/, ""],
  [/\bi-[0-9a-f]{8,17}\b/, "AWS::EC2::Instance"],
  [/\bvol-[0-9a-f]{8,17}\b/, "AWS::EBS::Volume"],
  [/\bsg-[0-9a-f]{8,17}\b/, "AWS::EC2::SecurityGroup"],
  [/\bsubnet-[0-9a-f]{8,17}\b/, "AWS::EC2::Subnet"],
  [/\bvpc-[0-9a-f]{8,17}\b/, "AWS::EC2::VPC"],
];

/** Whatever a line of a check is about; the account where it names nothing that is known. */
function subjectOf(words: readonly string[], { account }: Area): ItemReference {
  for (const [pattern, type] of named)
    for (const word of words) {
      const [externalId] = pattern.exec(word) ?? [];
      if (externalId !== undefined) return { externalId, ...(type && { type }) };
    }
  return { externalId: account, type: accountType };
}

/** What Trusted Advisor warns of; only accounts with a support plan have it. */
export const readAdvice = (
  area: Area,
  excludes: (names: readonly string[]) => boolean,
): AsyncGenerator<Found> => bounded({ source: sources.advice }, advice(area, excludes));

/** Checks are left out by their names, or by what they are about. */
async function* advice(
  area: Area,
  excludes: (names: readonly string[]) => boolean,
): AsyncGenerator<Found> {
  // The service is in one place for all regions.
  const client = area.session.in(area.partition === "aws" ? "us-east-1" : area.region);
  let checks: AwsObject[];
  try {
    const answer = await askJson(client, "support", "DescribeTrustedAdvisorChecks", {
      language: "en",
    });
    checks = objectsIn(answer, "checks").filter(
      (check) => !excludes([textIn(check, "name"), textIn(check, "category")]),
    );
  } catch (error) {
    if (!isCode(error, /^SubscriptionRequired/)) throw error;
    yield {
      kind: "notice",
      message: "Trusted Advisor needs a support plan, which this account does not have.",
    };
    return;
  }
  for await (const [check, result] of each(checks, async (one) => {
    const asked = { checkId: textIn(one, "id"), language: "en" };
    const answer = await askJson(client, "support", "DescribeTrustedAdvisorCheckResult", asked);
    return [one, objectIn(answer, "result")] as const;
  })) {
    const columns = textsIn(check, "metadata");
    for (const flagged of objectsIn(result, "flaggedResources")) {
      const severity = advised[textIn(flagged, "status")];
      if (!severity || flagged.isSuppressed === true) continue;
      const words = textsIn(flagged, "metadata");
      const name = textIn(check, "name");
      yield insight({
        item: subjectOf(words, area),
        analyzer: name,
        externalAnalysisId: textIn(flagged, "resourceId"),
        analysisType: categories[textIn(check, "category")] ?? "recommendation",
        severity,
        source: sources.advice,
        summary: [name, ...words.filter(Boolean)].join(": ").slice(0, 500),
        message: textIn(check, "description"),
        analysis: {
          check: textIn(check, "id"),
          status: textIn(flagged, "status"),
          details: Object.fromEntries(columns.map((column, at) => [column, words[at] ?? ""])),
        },
      });
    }
  }
}

/** Machines asked about at once, and patches of one that are told. */
const patches = { machines: 50, told: 500 };
const grave: Readonly<Record<string, InsightSeverity>> = {
  Critical: "critical",
  Important: "high",
  Moderate: "medium",
  Low: "low",
};

const machine = (externalId: string): ItemReference => ({
  externalId,
  type: "AWS::EC2::Instance",
});

/** What patches machines lack: how many (`patch_states`), and which (`patch_details`). */
export const readPatches = (
  area: Area,
  wanted: { states: boolean; details: boolean },
): AsyncGenerator<Found> =>
  bounded({ source: sources.patches, place: `Patches of ${area.region}` }, patchesOf(area, wanted));

async function* patchesOf(
  area: Area,
  wanted: { states: boolean; details: boolean },
): AsyncGenerator<Found> {
  const { client } = area;
  const managed = jsonPages(client, "ssm", "DescribeInstanceInformation", {
    input: { MaxResults: 50 },
    asked: "NextToken",
  });
  for await (const page of managed) {
    const ids = objectsIn(page, "InstanceInformationList").map((one) => textIn(one, "InstanceId"));
    for (const some of chunksOf(ids, patches.machines)) {
      const states = jsonPages(client, "ssm", "DescribeInstancePatchStates", {
        input: { InstanceIds: some },
        asked: "NextToken",
      });
      for await (const answer of states)
        for (const state of objectsIn(answer, "InstancePatchStates")) {
          const lacking = patchState(state);
          if (!lacking) continue;
          if (wanted.states) yield lacking;
          if (wanted.details) yield* patchDetails(area, textIn(state, "InstanceId"));
        }
    }
  }
}

function patchState(state: AwsObject): Found | undefined {
  const count = (key: string) => numberIn(state, key) ?? 0;
  const [missing, failed] = [count("MissingCount"), count("FailedCount")];
  if (missing + failed === 0) return undefined;
  const at = timeIn(state, "OperationEndTime");
  return insight({
    item: machine(textIn(state, "InstanceId")),
    analyzer: "Patches",
    externalAnalysisId: "patch-state",
    analysisType: "security",
    severity:
      count("CriticalNonCompliantCount") > 0
        ? "critical"
        : failed > 0 || count("SecurityNonCompliantCount") > 0
          ? "high"
          : "medium",
    source: sources.patches,
    summary: `${missing} ${missing === 1 ? "patch is" : "patches are"} missing, ${failed} failed`,
    analysis: state,
    ...(at && { lastObserved: at }),
  });
}

async function* patchDetails({ client }: Area, id: string): AsyncGenerator<Found> {
  const lacking = jsonPages(client, "ssm", "DescribeInstancePatches", {
    input: {
      InstanceId: id,
      Filters: [{ Key: "State", Values: ["Missing", "Failed"] }],
      MaxResults: 50,
    },
    asked: "NextToken",
  });
  let count = 0;
  for await (const page of lacking)
    for (const patch of objectsIn(page, "Patches")) {
      count += 1;
      if (count > patches.told) return;
      yield insight({
        item: machine(id),
        analyzer: "Patches",
        externalAnalysisId: textIn(patch, "KBId") || textIn(patch, "Title"),
        analysisType: "security",
        severity: grave[textIn(patch, "Severity")] ?? "low",
        source: sources.patches,
        summary: `${textIn(patch, "Title")} (${textIn(patch, "State")})`,
        analysis: patch,
      });
    }
}
