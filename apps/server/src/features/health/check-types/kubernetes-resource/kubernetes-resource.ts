import { checkSpecs, type KubernetesResourceSpec } from "@mainstay/contract";
import type { Context, Value } from "@mainstay/scripting";
import type { KubernetesClient } from "#platform/kubernetes/kubernetes-client.ts";
import type { KubernetesObject } from "#platform/kubernetes/list-objects.ts";
import { readable } from "#platform/kubernetes/readable.ts";
import {
  type CheckInput,
  checkType,
  type CheckOutcome,
  failed,
  failedBy,
  passed,
} from "../check-type.ts";
import { inCluster } from "../kubernetes/in-cluster.ts";
import { isOwn, markOf, ownLabels, withLabels } from "../kubernetes/ownership.ts";
import { judged, nameOf, summary } from "../kubernetes/readable-object.ts";
import { waitUntil } from "../kubernetes/wait-until.ts";
import { namespaceOf } from "../pod/run-life.ts";
import { BadResource, isThere, type Placed, placeAll } from "./placed.ts";
import { tryChecks } from "./try-checks.ts";
import { waitForAll } from "./wait-for.ts";

const cleanUpMs = 60_000;
const goneTimeoutMs = 120_000;

/** Deletes what is in the way: what this check left behind, and anything where the document says so. */
async function clear(
  client: KubernetesClient,
  placed: readonly Placed[],
  { mark, isAllowed, signal }: { mark: string; isAllowed: boolean; signal: AbortSignal },
): Promise<void> {
  for (const one of placed) {
    const found = await isThere(client, one);
    if (!found) continue;
    if (!isAllowed && !isOwn(found, mark))
      throw new BadResource(
        `${one.kind.kind} ${nameOf(found)} is there already and was not made by this check: take another name, or set clearResources`,
      );
    await client.delete(one.kind, one.place);
    await waitUntilGone(client, one, signal);
  }
}

async function waitUntilGone(
  client: KubernetesClient,
  one: Placed,
  signal: AbortSignal,
): Promise<void> {
  const gone = await waitUntil(async () => ((await isThere(client, one)) ? undefined : true), {
    signal,
    timeoutMs: goneTimeoutMs,
  });
  if (!gone)
    throw new Error(
      `${one.kind.kind} "${one.place.name}" was not gone ${goneTimeoutMs} ms after it was deleted`,
    );
}

/** Objects for scripts: as manifests, and under `Object` as the family writes them. */
const forScripts = (object: KubernetesObject): Value => {
  const shown = readable(object);
  return { ...shown, Object: shown } as unknown as Value;
};

async function run(
  input: CheckInput<KubernetesResourceSpec>,
  client: KubernetesClient,
  { made, mark }: { made: Placed[]; mark: string },
): Promise<CheckOutcome> {
  const { spec, signal } = input;
  const namespace = namespaceOf(spec, input);
  const statics = await placeAll(spec.staticResources ?? [], { client, namespace });
  const placed = await placeAll(spec.resources, { client, namespace });
  await clear(client, placed, { mark, isAllowed: spec.clearResources === true, signal });
  for (const { kind, object, place } of statics)
    await client.apply(
      kind,
      { ...object, metadata: { ...object.metadata, name: place.name } },
      place.namespace,
    );
  for (const one of placed) {
    made.push(one);
    await client.create(one.kind, withLabels(one.object, ownLabels(mark)), one.place.namespace);
  }
  const look = async (all: readonly Placed[]) =>
    Promise.all(all.map(({ kind, place }) => client.get(kind, place)));
  const staticObjects = await look(statics);
  const waited = await waitForAll(input, {
    look: () => look(placed),
    seen: (objects): Context => ({
      resources: objects.map(forScripts),
      staticResources: staticObjects.map(forScripts),
    }),
  });
  const all = waited.objects.map((object) => judged(object));
  const health = Object.fromEntries(all.map((one) => [nameOf(one.object), { ...one.health }]));
  const outcome = {
    details: { resources: all.map(summary) } as Record<string, unknown>,
    data: () => ({
      resources: waited.objects.map(forScripts),
      staticResources: staticObjects.map(forScripts),
      health: health as unknown as Value,
      display: all
        .map(({ object, health: { status } }) => `${nameOf(object)}: ${status}`)
        .join("\n"),
    }),
  };
  if (waited.error !== undefined) return failed(waited.error, outcome);
  const checks = await tryChecks(input, {
    resources: waited.objects.map(forScripts),
    staticResources: staticObjects.map(forScripts),
  });
  if (checks.results.length > 0)
    outcome.details.checks = checks.results.map(
      ({ name, type, pass, message, error, durationMs }) => ({
        name,
        type,
        pass,
        ...(message && { message: message.slice(0, 500) }),
        ...(error && { error: error.slice(0, 1000) }),
        durationMs: Math.round(durationMs),
      }),
    );
  if (checks.error !== undefined)
    return failed(checks.error, { ...outcome, ...(checks.isUntried && { untried: true }) });
  const objects = `${all.length} object${all.length === 1 ? "" : "s"} made`;
  const tried = checks.results.length;
  return passed(
    tried > 0 ? `${objects}, ${tried} check${tried === 1 ? "" : "s"} passed` : objects,
    outcome,
  );
}

export const kubernetesResource = checkType<KubernetesResourceSpec>({
  type: "kubernetesResource",
  spec: checkSpecs.kubernetesResource,
  network: true,
  endpoint: (spec) =>
    spec.resources
      .flatMap(({ kind, metadata }) =>
        kind ? [`${kind} ${(metadata?.name as string | undefined) ?? ""}`.trim()] : [],
      )
      .join(", "),
  run(input) {
    return inCluster(input, async ({ client, clientFor }) => {
      const made: Placed[] = [];
      const mark = markOf(
        "kubernetesResource",
        input.namespace,
        input.spec.name ?? JSON.stringify(input.spec.resources),
      );
      const outcome = await run(input, client, { made, mark }).catch((error: unknown) =>
        failedBy(error, error instanceof BadResource ? { invalid: true } : {}),
      );
      const left = await cleanUp(clientFor(AbortSignal.timeout(cleanUpMs)), made, {
        isWaited: input.spec.waitFor?.delete === true,
      });
      input.signal.throwIfAborted();
      if (left.length === 0) return outcome;
      const details = { ...outcome.details, leftBehind: left };
      return outcome.pass
        ? failed(`not everything could be deleted: ${left.join("; ")}`, {
            ...outcome,
            pass: false,
            details,
          })
        : { ...outcome, details };
    });
  },
});

/** Deletes everything that was made, the last first, whatever became of the run; says what is left. */
async function cleanUp(
  client: KubernetesClient,
  made: readonly Placed[],
  { isWaited }: { isWaited: boolean },
): Promise<string[]> {
  const left: string[] = [];
  const note = (error: Error) => left.push(error.message);
  for (const { kind, place } of made.toReversed()) await client.delete(kind, place).catch(note);
  if (isWaited && left.length === 0)
    for (const one of made)
      await waitUntilGone(client, one, AbortSignal.timeout(cleanUpMs)).catch(note);
  return left;
}
