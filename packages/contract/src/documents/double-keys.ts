import { type Document, isScalar, type Scalar, visit } from "yaml";

/** Keys that stand in their mapping already, in their order. The library's own look compares each key with all before it. */
export function findDoubleKeys(document: Document): Scalar[] {
  const doubles: Scalar[] = [];
  visit(document, {
    Map(_key, { items }) {
      const known = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (known.has(key.value)) doubles.push(key);
        else known.add(key.value);
      }
    },
  });
  return doubles;
}
