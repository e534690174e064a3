import type { ValueReference } from "./value-reference.ts";

const prefixes = { secret: "MAINSTAY_SECRET", configmap: "MAINSTAY_CONFIGMAP" } as const;

/**
 * The variable in which a value may be handed to the server: `MAINSTAY_SECRET__NAMESPACE__NAME__KEY`. Nothing else of
 * the environment can be named. Undefined where two values would share one: what could be read as another boundary.
 */
export function variableOf(reference: ValueReference, namespace: string): string | undefined {
  if (reference.kind !== "secret" && reference.kind !== "configmap") return undefined;
  const parts = [namespace, reference.name, reference.key].map((part) =>
    part.toUpperCase().replaceAll(/[-.]/g, "_"),
  );
  if (parts.some((part) => part.includes("__") || part.startsWith("_") || part.endsWith("_")))
    return undefined;
  return [prefixes[reference.kind], ...parts].join("__");
}

export function readFromEnvironment(
  reference: ValueReference,
  namespace: string,
  env: NodeJS.ProcessEnv,
): string | undefined {
  const name = variableOf(reference, namespace);
  return (name !== undefined && Object.hasOwn(env, name) && env[name]) || undefined;
}
