import type { EnvVar } from "@mainstay/contract";
import { LRUCache } from "lru-cache";
import type { Clock } from "../clock.ts";
import type { FindCluster } from "../kubernetes/cluster.ts";
import { createKubernetesClient } from "../kubernetes/kubernetes-client.ts";
import { findOwnCluster } from "../kubernetes/own-cluster.ts";
import { createConnector } from "../outbound/connector.ts";
import { defineService } from "../service.ts";
import { readFromCluster } from "./from-cluster.ts";
import { readFromEnvironment, variableOf } from "./from-environment.ts";
import { readFromFiles } from "./from-files.ts";
import {
  checkedNamespace,
  describeReference,
  parseReference,
  referenceOf,
  type ValueReference,
} from "./value-reference.ts";
import { type Asker, ValueMissing, type ValueSources } from "./value-sources.ts";

const keptMs = 300_000;
/** So long somebody who puts a missing value where it belongs may wait. */
const missingMs = 10_000;
const lookupTimeoutMs = 5000;
const mostKept = 2000;
/** Of all values that are kept together, in characters. */
const mostCharacters = 16 * 1024 * 1024;

interface Parts {
  findCluster: FindCluster;
  valuesDir?: string | undefined;
  env?: NodeJS.ProcessEnv;
  clock: Clock;
  lookupTimeoutMs?: number;
}

type Found = { value: string } | { missing: string };

/** The value sources of this server, one for the whole program. */
export const valueSources = defineService("value sources", ({ config, clock }) =>
  createValueSources({ findCluster: findOwnCluster(config), valuesDir: config.valuesDir, clock }),
);

export function createValueSources(parts: Parts): ValueSources {
  const { env = process.env, clock, valuesDir } = parts;
  const timeoutMs = parts.lookupTimeoutMs ?? lookupTimeoutMs;
  // The settings of this server say where the cluster is, so nothing here goes where a document wants.
  const connector = createConnector();
  const kept = new LRUCache<string, Found>({
    max: mostKept,
    maxSize: mostCharacters,
    sizeCalculation: (found) => ("value" in found ? found.value.length : 0) + 100,
    ttl: keptMs,
    ttlResolution: 0,
    perf: { now: () => clock.now().getTime() },
  });
  const underWay = new Map<string, Promise<Found>>();

  async function inCluster(reference: ValueReference, namespace: string) {
    const cluster = await parts.findCluster();
    if (!cluster) return { value: undefined, looked: [] };
    const client = createKubernetesClient(cluster, {
      connector,
      signal: AbortSignal.timeout(timeoutMs),
    });
    return {
      value: await readFromCluster(reference, namespace, client),
      looked: [`in the cluster ${client.place}`],
    };
  }

  async function lookUp(reference: ValueReference, namespace: string): Promise<Found> {
    const what = describeReference(reference, namespace);
    const looked: string[] = [];
    let trouble: Error | undefined;
    try {
      const found = await inCluster(reference, namespace);
      if (found.value !== undefined) return { value: found.value };
      looked.push(...found.looked);
    } catch (error) {
      // A pod may have a cluster and no right to read secrets of it; they may be mounted all the same.
      trouble = asError(error);
    }
    try {
      const fromFile = valuesDir && (await readFromFiles(reference, namespace, valuesDir));
      if (typeof fromFile === "string") return { value: fromFile };
      if (valuesDir) looked.push(`in ${valuesDir}`);
    } catch (error) {
      trouble ??= asError(error);
    }
    const fromEnvironment = readFromEnvironment(reference, namespace, env);
    if (fromEnvironment !== undefined) return { value: fromEnvironment };
    if (trouble !== undefined) {
      const isLate = trouble.name === "TimeoutError";
      return {
        missing: `${what} cannot be read: ${isLate ? `the cluster did not answer within ${timeoutMs} ms` : trouble.message}`,
      };
    }
    const variable = variableOf(reference, namespace);
    if (variable !== undefined) looked.push(`in the variable ${variable}`);
    return {
      missing:
        looked.length > 0
          ? `${what} is not there: looked ${looked.join(" and ")}`
          : `${what} cannot be read: this server has no cluster (KUBECONFIG)`,
    };
  }

  async function find(reference: ValueReference, asker: Asker): Promise<string> {
    const namespace = checkedNamespace(asker.namespace);
    asker.signal?.throwIfAborted();
    const key = JSON.stringify([namespace, reference]);
    let found = kept.get(key);
    if (!found) {
      let looking = underWay.get(key);
      if (!looking) {
        looking = lookUp(reference, namespace).finally(() => underWay.delete(key));
        underWay.set(key, looking);
        looking.then(
          (result) => kept.set(key, result, { ttl: "value" in result ? keptMs : missingMs }),
          () => undefined,
        );
      }
      found = await heed(asker.signal, looking);
    }
    if ("value" in found) return found.value;
    throw new ValueMissing(found.missing);
  }

  const resolveText = async (text: string, asker: Asker): Promise<string> => {
    const reference = parseReference(text);
    return reference ? find(reference, asker) : text;
  };

  return {
    resolveText,
    async resolve({ value, valueFrom }: EnvVar, asker: Asker): Promise<string> {
      if (value !== undefined && value !== "") return resolveText(value, asker);
      const reference = referenceOf(valueFrom);
      return reference ? find(reference, asker) : "";
    },
  };
}

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));

/** Waits no longer than the asker does; others may wait for the same. */
async function heed<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (!signal) return work;
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_fulfil, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (stop) signal.removeEventListener("abort", stop);
  }
}
