import { checkSpecs, type CloudwatchSpec } from "@mainstay/contract";
import { childOf, childrenOf, textIn, type XmlElement } from "#platform/xml/read-xml.ts";
import { askAws, awsEndpoint, keptOf } from "../aws/aws-check.ts";
import { checkType, failed, inMs, passed } from "../check-type.ts";
import { valueOf } from "./alarms.ts";

const version = "2010-08-01";
const mostAlarms = 100;
const longestReason = 500;
const kept = { items: mostAlarms, bytes: 98_304 };

function parametersOf(spec: CloudwatchSpec): Record<string, string> {
  const named = (spec.alarms ?? []).map((name, at) => [`AlarmNames.member.${at + 1}`, name]);
  return {
    Action: "DescribeAlarms",
    MaxRecords: String(mostAlarms),
    "AlarmTypes.member.1": "MetricAlarm",
    "AlarmTypes.member.2": "CompositeAlarm",
    ...(Object.fromEntries(named) as Record<string, string>),
    ...(spec.alarmPrefix && { AlarmNamePrefix: spec.alarmPrefix }),
    ...(spec.actionPrefix && { ActionPrefix: spec.actionPrefix }),
    ...(spec.state && { StateValue: spec.state }),
  };
}

const shown = (alarm: XmlElement) => ({
  name: textIn(alarm, "AlarmName") ?? "",
  state: textIn(alarm, "StateValue") ?? "",
  reason: (textIn(alarm, "StateReason") ?? "").slice(0, longestReason),
});

export const cloudwatch = checkType<CloudwatchSpec>({
  type: "cloudwatch",
  spec: checkSpecs.cloudwatch,
  network: true,
  endpoint: awsEndpoint,
  run: (input) =>
    askAws(input, async (client) => {
      const started = performance.now();
      const parameters = parametersOf(input.spec);
      const answer = await client.query({ name: "monitoring" }, version, parameters);
      const durationMs = performance.now() - started;
      const result = childOf(answer, "DescribeAlarmsResult");
      if (!result) return failed("the answer of CloudWatch describes no alarms", { durationMs });
      const metric = childOf(result, "MetricAlarms");
      const composite = childOf(result, "CompositeAlarms");
      const alarms = [...childrenOf(metric, "member"), ...childrenOf(composite, "member")].map(
        shown,
      );
      const ringing = alarms.filter(({ state }) => state === "ALARM");
      const outcome = {
        durationMs,
        details: {
          alarms: keptOf(alarms, kept),
          ...(textIn(result, "NextToken") && {
            note: `there are more than ${mostAlarms} alarms; the first are looked at`,
          }),
        },
        data: () => ({
          results: {
            MetricAlarms: metric ? valueOf(metric) : [],
            CompositeAlarms: composite ? valueOf(composite) : [],
          },
        }),
      };
      if (ringing.length === 0)
        return passed(
          `${alarms.length} ${alarms.length === 1 ? "alarm" : "alarms"}, none ringing, in ${inMs(durationMs)}`,
          outcome,
        );
      const [first] = ringing;
      const names = ringing.slice(0, 10).map(({ name }) => name);
      const more =
        ringing.length > names.length ? ` and ${ringing.length - names.length} more` : "";
      const why = ringing.length === 1 && first?.reason ? `: ${first.reason}` : "";
      return failed(`in ALARM: ${names.join(", ")}${more}${why}`, outcome);
    }),
});
