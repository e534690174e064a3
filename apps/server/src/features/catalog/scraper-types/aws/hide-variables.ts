import type { AwsObject, AwsValue } from "#platform/outbound/aws/aws-value.ts";

/** What stands in the place of values that programs are given: they are secrets too often to be shown. */
const hidden = "[hidden]";

/** Members that hold the variables of programs, as `{ NAME: value }` or as `[{ name, value }]`. */
const holders = new Set(["Variables", "environment", "environmentOverrides"]);

function hide(value: AwsValue): AwsValue {
  if (typeof value !== "object") return hidden;
  if (Array.isArray(value))
    return (value as readonly AwsValue[]).map((one) =>
      typeof one === "object" && !Array.isArray(one)
        ? { ...(one as AwsObject), value: hidden }
        : one,
    );
  return Object.fromEntries(Object.keys(value).map((key) => [key, hidden]));
}

/** Names of the variables that programs are given, without their values. */
export function hideVariables(of: AwsObject): AwsObject {
  const within = (value: AwsValue): AwsValue => {
    if (typeof value !== "object") return value;
    if (Array.isArray(value)) return (value as readonly AwsValue[]).map(within);
    return hideVariables(value as AwsObject);
  };
  return Object.fromEntries(
    Object.entries(of).map(([key, value]) => [key, holders.has(key) ? hide(value) : within(value)]),
  );
}
