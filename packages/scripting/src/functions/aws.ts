import { isMapping, type Value } from "../values.ts";

/** The parts of an ARN. @throws when it is none. */
export function arnToMap(arn: string): Value {
  const parts = arn.split(":");
  if (parts.length < 6 || parts[0] !== "arn") throw new Error(`"${arn}" is no ARN`);
  return {
    service: parts[2]!,
    region: parts[3]!,
    account: parts[4]!,
    resource: parts.slice(5).join(":"),
  };
}

/** Tags and the like, `[{Name, Value}]` or `[{Key, Value}]`, as one map. */
export function fromAwsMap(list: readonly Value[]): Value {
  return Object.fromEntries(
    list.map((item) => {
      const own = (...names: string[]): Value | undefined => {
        const name = names.find((one) => isMapping(item) && Object.hasOwn(item, one));
        return name === undefined ? undefined : (item as Record<string, Value>)[name];
      };
      const name = own("Name", "name", "Key", "key");
      if (typeof name !== "string") throw new Error("each item has a Name and a Value");
      return [name, own("Value", "value") ?? null];
    }),
  );
}
