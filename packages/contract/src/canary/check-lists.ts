/** Keys of a spec that hold checks, beside those that are called like their type. */

/** Keys that form editors write, and the types they mean. */
export const checkAliases = {
  alertManager: "alertmanager",
  configDB: "catalog",
  mongo: "mongodb",
  ping: "icmp",
} as const;
export type CheckAlias = keyof typeof checkAliases;

/** The type of the checks under a key. */
export const typeUnder = (key: string): string =>
  Object.hasOwn(checkAliases, key) ? checkAliases[key as CheckAlias] : key;

/**
 * Types of which a document holds one mapping, or public ones do, or earlier versions let it: a list of them is read, too.
 */
export const singleTypes: readonly string[] = [
  "webhook",
  "cloudwatch",
  "docker",
  "containerd",
  "s3Bucket",
];
