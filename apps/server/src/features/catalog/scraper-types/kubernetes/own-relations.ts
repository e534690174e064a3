import type { KubernetesScraper, Lookup } from "@mainstay/contract";
import type { Value } from "@mainstay/scripting";
import type { KubernetesObject } from "#platform/kubernetes/list-objects.ts";
import { itemContext, type ItemScripts, ScrapeScriptMistake } from "../../scraping/item-scripts.ts";
import type { Relation, ScrapedItem } from "../../scraping/scraped.ts";
import { aliasOf } from "./object-names.ts";

/** Objects that a document finds by fields of an object (`relationships`): all three are told, or none is meant. */
export async function ownRelations(
  { relationships = [], clusterName }: KubernetesScraper,
  { object, item }: { object: KubernetesObject; item: ScrapedItem },
  { scripts, notice }: { scripts: ItemScripts; notice(message: string): void },
): Promise<Relation[]> {
  const found: Relation[] = [];
  for (const [index, { kind, name, namespace }] of relationships.entries()) {
    // Documents of others ask the object itself: `has(spec.claimRef)`, whatever it has.
    const own = { spec: {}, status: {}, ...(object as Record<string, Value>) };
    const context = { ...itemContext(item), ...own };
    const look = async (field: string, { expr = "", value = "", label = "" }: Lookup) => {
      if (expr === "") return value || (item.labels[label] ?? "");
      const script = { name: `relationships.${index}.${field}.expr`, text: expr, context };
      return (await scripts.evaluate({ ...script, language: "cel" })).text.trim();
    };
    try {
      const to = { kind: await look("kind", kind), name: "", namespace: "" };
      if (to.kind !== "") to.name = await look("name", name);
      if (to.name === "") continue;
      to.namespace = await look("namespace", namespace);
      found.push({
        to: { externalId: aliasOf(clusterName, to) },
        relation: `${item.configClass}${to.kind}`,
      });
    } catch (error) {
      if (!(error instanceof ScrapeScriptMistake)) throw error;
      notice(error.message);
    }
  }
  return found;
}
