/** Keys of checks that documents of earlier versions have, and what they are called since. */

const grouped = { auth: "authentication" } as const;

const formerKeys: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  alertmanager: grouped,
  azureDevops: { variable: "variables" },
  databaseBackup: { GCP: "gcp" },
  elasticsearch: grouped,
  http: { ...grouped, envVar: "env" },
  ldap: { ...grouped, host: "url" },
  mongodb: { ...grouped, credentials: "authentication" },
  opensearch: grouped,
  prometheus: grouped,
  redis: grouped,
};

/** A check with the keys that the rest of the program reads; of two spellings the one of today counts. */
export function withTodaysKeys<Spec extends Readonly<Record<string, unknown>>>(
  type: string,
  spec: Spec,
): Spec {
  const former = Object.hasOwn(formerKeys, type) ? formerKeys[type]! : {};
  if (!Object.keys(former).some((key) => Object.hasOwn(spec, key))) return spec;
  const renamed = Object.entries(spec).flatMap(([key, value]): [string, unknown][] => {
    const today = Object.hasOwn(former, key) ? former[key]! : key;
    return today !== key && spec[today] !== undefined ? [] : [[today, value]];
  });
  // The same check by other names.
  return Object.fromEntries(renamed) as unknown as Spec;
}
