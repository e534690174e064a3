import { matchesPattern, parseSearch, type SearchNode } from "@mainstay/contract";
import { healthOf } from "@mainstay/scripting/functions/kubernetes-health.ts";
import type { KubernetesObject } from "#platform/kubernetes/list-objects.ts";

/** Of an object, what a search may name; undefined where it has no such field. */
function fieldOf(object: KubernetesObject, field: string): string | undefined {
  const { name, namespace, uid, labels, annotations } = object.metadata;
  const inMap = /^(labels?|tags|annotations)\.(.+)$/.exec(field);
  if (inMap) {
    const map = (inMap[1] === "annotations" ? annotations : labels) ?? {};
    return Object.hasOwn(map, inMap[2]!) ? map[inMap[2]!] : undefined;
  }
  switch (field) {
    case "name":
      return name;
    case "namespace":
      return namespace;
    case "id":
    case "uid":
      return uid;
    case "kind":
    case "type":
      return object.kind;
    case "status":
      return healthOf(object as never).status;
    case "health":
      return healthOf(object as never).health;
    default:
      throw new Error(
        `a search of objects knows no "${field}": there are name, namespace, kind, status, health and labels.…`,
      );
  }
}

const lower = (pattern: readonly string[]) => pattern.map((piece) => piece.toLowerCase());

function matches(node: SearchNode, object: KubernetesObject): boolean {
  switch (node.kind) {
    case "and":
      return node.parts.every((part) => matches(part, object));
    case "or":
      return node.parts.some((part) => matches(part, object));
    case "not":
      return !matches(node.part, object);
    case "exists":
      return fieldOf(object, node.field) !== undefined;
    case "word": {
      const name = (object.metadata.name ?? "").toLowerCase();
      const pattern = lower(node.pattern);
      if (node.place === "whole") return matchesPattern(pattern, name);
      return matchesPattern([...(node.place === "anywhere" ? [""] : []), ...pattern, ""], name);
    }
    case "compare": {
      const text = fieldOf(object, node.field)?.toLowerCase();
      if (node.operator !== "=" && node.operator !== "!=")
        throw new Error(
          `a search of objects compares with = and != alone, not with ${node.operator}`,
        );
      const is = (wanted: { pattern: readonly string[] }) =>
        text !== undefined && matchesPattern(lower(wanted.pattern), text);
      const [no, yes] = [
        node.values.filter(({ isExcluded }) => isExcluded),
        node.values.filter(({ isExcluded }) => !isExcluded),
      ];
      const isMatch = !no.some(is) && (yes.length === 0 || yes.some(is));
      return node.operator === "=" ? isMatch : !isMatch;
    }
  }
}

/** The grammar is that of every search; several queries are alternatives. */
export const matchesSearch = (object: KubernetesObject, search: string): boolean =>
  parseSearch(search).some(({ where }) => where === undefined || matches(where, object));
