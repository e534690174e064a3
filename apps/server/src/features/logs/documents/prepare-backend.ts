import {
  codeInLogBackend,
  logBackendSecretPlaces,
  logBackendSpecs,
  type WrittenLogBackend,
} from "@mainstay/contract";
import { catalogEvaluator } from "#features/catalog/index.ts";
import {
  connectionFinder,
  prepareSpec,
  specNeeds,
  whyNotOpened,
  type WrittenSpec,
  writtenSecrets,
} from "#features/connections/index.ts";
import type { Ctx } from "#platform/context.ts";
import { createHider, type Hider } from "#platform/sealing/hide-secrets.ts";
import { valueSources } from "#platform/value-sources/create-value-sources.ts";
import type { z } from "zod";

/** What backends say of questions and of lines, and templates that are evaluated with every question. */
const ownKeys: ReadonlySet<string> = new Set(["routes", "labels", "query", "filter"]);

export type PreparedBackend =
  | { ok: true; spec: object; hider?: Hider }
  | { ok: false; error: string };

/** Puts connections and values that stand elsewhere in the place of what names them. */
export async function prepareBackend(
  ctx: Ctx,
  { type, spec }: Pick<WrittenLogBackend, "type" | "spec">,
  document: { id: string; name: string; namespace: string },
): Promise<PreparedBackend> {
  const places = logBackendSecretPlaces(type, spec);
  const why = whyNotOpened(places);
  if (why !== undefined) return { ok: false, error: why };
  const secrets = writtenSecrets(spec, places);
  const written: WrittenSpec = { noun: "log backend", type, spec, isTemplated: false, ownKeys };
  const needs = specNeeds(written) ?? {
    templates: [],
    values: [],
    connections: [],
    variables: {},
  };
  const { namespace } = spec;
  const ofValues = namesValues(type) && typeof namespace === "string" && namespace !== "";
  // Of what all of them are: which of many would be taken otherwise hangs on the order in which files are checked.
  const schema: z.ZodType<object> = logBackendSpecs[type];
  const prepared = await prepareSpec(
    {
      written,
      needs,
      document: { ...document, labels: {} },
      namespace: ofValues ? namespace : document.namespace,
      seen: {},
      reaches: (one) => codeInLogBackend(type, one),
      schema,
      signal: ctx.signal,
    },
    {
      evaluator: ctx.service(catalogEvaluator),
      values: ctx.service(valueSources),
      connections: ctx.service(connectionFinder),
    },
    secrets,
  );
  if (!prepared.ok) {
    const hider = createHider(secrets);
    return { ok: false, error: hider ? hider.message(prepared.error) : prepared.error };
  }
  const hider = createHider(secrets);
  return { ok: true, spec: prepared.spec, ...(hider && { hider }) };
}

/** Whether `namespace` is that of Secrets, and not that of pods. */
const namesValues = (type: WrittenLogBackend["type"]) => type !== "kubernetes";
