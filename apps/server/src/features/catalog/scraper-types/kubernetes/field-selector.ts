import { at } from "@mainstay/scripting/functions/kubernetes-fields.ts";
import type { Value } from "@mainstay/scripting";
import type { KubernetesObject } from "#platform/kubernetes/list-objects.ts";

/**
 * A field selector as an API server reads it, for kinds whose server knows none of its fields: what an object does not
 * have is an empty text.
 */
export function fieldSelector(text: string): (object: KubernetesObject) => boolean {
  const terms = text
    .split(",")
    .map((term) => /^\s*([^!=\s]+)\s*(==|!=|=)\s*(.*?)\s*$/.exec(term))
    .flatMap((found) => (found ? [found] : []));
  return (object) =>
    terms.every(([, path = "", sign, wanted = ""]) => {
      const found = at(object as Value, ...path.split("."));
      const said = typeof found === "string" ? found : found === null ? "" : JSON.stringify(found);
      return (said === wanted) === (sign !== "!=");
    });
}
