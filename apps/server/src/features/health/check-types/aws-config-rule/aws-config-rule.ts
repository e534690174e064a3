import { type AwsConfigRuleSpec, checkSpecs } from "@mainstay/contract";
import type { Value } from "@mainstay/scripting";
import type { AwsClient } from "#platform/outbound/aws/aws-client.ts";
import { askAws, awsEndpoint, keptOf } from "../aws/aws-check.ts";
import { checkType, failed, inMs, passed } from "../check-type.ts";

/** Names that one request may hold. */
const mostNames = 25;
const mostRules = 500;
const mostPages = 50;
/** Rules whose resources are looked at. */
const mostJudged = 50;
/** Resources of one rule that are told. */
const mostResources = 100;
const kept = { items: 50, bytes: 98_304 };

interface Resource {
  id: string;
  annotation: string;
  type: string;
  recorded: string;
  mode: string;
}

interface Rule {
  rule: string;
  /** State of the rule as a whole. */
  type: string;
  description: string;
  annotation: string;
  resources: Resource[];
}

type Answer = Record<string, unknown>;

const listOf = (value: unknown): Answer[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "object" && one !== null) : [];
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const objectOf = (value: unknown): Answer =>
  typeof value === "object" && value !== null ? (value as Answer) : {};
/** Times are seconds since 1970, as numbers. */
const timeOf = (value: unknown): string => {
  const ms = typeof value === "number" ? value * 1000 : Date.parse(textOf(value));
  return Number.isFinite(ms) && Math.abs(ms) < 8.64e15 ? new Date(ms).toISOString() : "";
};

const ask = (client: AwsClient, action: string, input: object) =>
  client.json({ name: "config" }, `StarlingDoveService.${action}`, input);

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
}

/** The rules that are in one of the wanted states, without those that do not count. */
async function rulesInQuestion(
  client: AwsClient,
  { rules = [], ignoreRules = [], complianceTypes = [] }: AwsConfigRuleSpec,
): Promise<{ name: string; state: string }[]> {
  const groups = rules.length > 0 ? chunks(rules, mostNames) : [undefined];
  const found: { name: string; state: string }[] = [];
  for (const names of groups) {
    let next: string | undefined;
    for (let page = 0; page < mostPages && found.length < mostRules; page += 1) {
      const answer = await ask(client, "DescribeComplianceByConfigRule", {
        ...(names && { ConfigRuleNames: names }),
        ...(complianceTypes.length > 0 && { ComplianceTypes: complianceTypes }),
        ...(next && { NextToken: next }),
      });
      for (const rule of listOf(answer.ComplianceByConfigRules))
        found.push({
          name: textOf(rule.ConfigRuleName),
          state: textOf(objectOf(rule.Compliance).ComplianceType),
        });
      next = textOf(answer.NextToken);
      if (next === "") break;
    }
  }
  return found.filter(({ name }) => !ignoreRules.includes(name));
}

async function resourcesOf(client: AwsClient, name: string): Promise<Resource[]> {
  const answer = await ask(client, "GetComplianceDetailsByConfigRule", {
    ConfigRuleName: name,
    ComplianceTypes: ["NON_COMPLIANT"],
    Limit: mostResources,
  });
  return listOf(answer.EvaluationResults).map((result) => {
    const { EvaluationResultQualifier: qualifier } = objectOf(result.EvaluationResultIdentifier);
    const { ResourceId: id, ResourceType: type, EvaluationMode: mode } = objectOf(qualifier);
    return {
      id: textOf(id),
      annotation: textOf(result.Annotation),
      type: textOf(type),
      recorded: timeOf(result.ResultRecordedTime),
      mode: textOf(mode),
    };
  });
}

async function describe(client: AwsClient, names: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const group of chunks(names, mostNames)) {
    const answer = await ask(client, "DescribeConfigRules", { ConfigRuleNames: group });
    for (const rule of listOf(answer.ConfigRules))
      found.set(textOf(rule.ConfigRuleName), textOf(rule.Description));
  }
  return found;
}

export const awsConfigRule = checkType<AwsConfigRuleSpec>({
  type: "awsConfigRule",
  spec: checkSpecs.awsConfigRule,
  network: true,
  endpoint: awsEndpoint,
  run: (input) =>
    askAws(input, async (client) => {
      const started = performance.now();
      const judged = await rulesInQuestion(client, input.spec);
      const broken = judged.filter(({ state }) => state === "NON_COMPLIANT");
      const looked = broken.slice(0, mostJudged);
      const descriptions = await describe(
        client,
        looked.map(({ name }) => name),
      );
      const rules: Rule[] = [];
      for (const { name, state } of looked) {
        const resources = await resourcesOf(client, name);
        const description = descriptions.get(name) ?? "";
        const annotation = resources.find((resource) => resource.annotation !== "")?.annotation;
        rules.push({
          rule: name,
          type: state,
          description,
          annotation: annotation ?? "",
          resources,
        });
      }
      const durationMs = performance.now() - started;
      const shown = keptOf(rules, kept);
      const outcome = {
        durationMs,
        details: {
          rules: shown,
          ...(shown.length < broken.length && {
            note: `${broken.length} rules are broken; the first ${shown.length} are kept`,
          }),
        },
        data: () => ({ results: { rules: rules as unknown as Value } }),
      };
      if (broken.length === 0)
        return passed(
          `${judged.length} ${judged.length === 1 ? "rule" : "rules"}, none broken, in ${inMs(durationMs)}`,
          outcome,
        );
      const names = broken.slice(0, 10).map(({ name }) => name);
      const more = broken.length > names.length ? ` and ${broken.length - names.length} more` : "";
      return failed(`broken: ${names.join(", ")}${more}`, { ...outcome, isDefaultVerdict: true });
    }),
});
