import { checkSpecs, type KubernetesSpec } from "@mainstay/contract";
import type { Value } from "@mainstay/scripting";
import { checkType, type CheckOutcome, failed, passed } from "../check-type.ts";
import { clusterName, inCluster } from "./in-cluster.ts";
import { forScripts, judged, type JudgedObject, nameOf, summary } from "./readable-object.ts";
import { selectObjects, type Selection } from "./select-objects.ts";

/** Objects that a result describes one by one, and that an error names. */
const mostDescribed = 200;
const mostNamed = 10;

const plural = (count: number, kind: string) => `${count} ${kind}${count === 1 ? "" : "s"}`;

function place({ namespaces }: Selection): string {
  if (!namespaces) return "";
  if (namespaces.length === 0) return " (no namespace is selected)";
  if (namespaces.length === 1) return ` in the namespace "${namespaces[0]}"`;
  return ` in ${namespaces.length} namespaces`;
}

function complaint(bad: readonly JudgedObject[], what: string): string | undefined {
  if (bad.length === 0) return undefined;
  const named = bad.slice(0, mostNamed).map(({ object, health }) => {
    const why = [health.status, health.message.slice(0, 200)].filter(Boolean).join(": ");
    return `${nameOf(object)} is ${what}${why ? ` (${why})` : ""}`;
  });
  const more = bad.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

function judge(spec: KubernetesSpec, all: readonly JudgedObject[]): string | undefined {
  const unhealthy = spec.healthy ? all.filter(({ health }) => health.health !== "healthy") : [];
  const unready = spec.ready ? all.filter(({ health }) => !health.ready) : [];
  const complaints = [complaint(unhealthy, "not healthy"), complaint(unready, "not ready")];
  return complaints.filter(Boolean).join("; ") || undefined;
}

export const kubernetes = checkType<KubernetesSpec>({
  type: "kubernetes",
  spec: checkSpecs.kubernetes,
  network: true,
  endpoint: (spec) => [clusterName(spec), spec.kind].filter(Boolean).join(" "),
  run: (input) =>
    inCluster(input, async ({ client }): Promise<CheckOutcome> => {
      const { spec, namespace } = input;
      const kind = await client.findKind({ kind: spec.kind, apiVersion: spec.apiVersion });
      const selection = await selectObjects(kind, {
        client,
        namespace: namespace || "default",
        namespaceSelector: spec.namespaceSelector,
        resource: spec.resource,
        ignore: spec.ignore,
      });
      const all = selection.objects.map((object) => judged(object));
      const note = selection.isCut
        ? `There are more: only the first ${all.length} were read.`
        : undefined;
      const outcome = {
        details: {
          count: all.length,
          objects: all.slice(0, mostDescribed).map(summary),
          ...(note && { note }),
        },
        data: () => ({ results: all.map(forScripts) as unknown as Value }),
      };
      if (all.length === 0)
        return failed(`no ${kind.kind} found${place(selection)}`, {
          ...outcome,
          isDefaultVerdict: true,
        });
      const error = judge(spec, all);
      if (error !== undefined) return failed(error, outcome);
      return passed(
        [`${plural(all.length, kind.kind)}${place(selection)}`, note].filter(Boolean).join(". "),
        outcome,
      );
    }),
});
