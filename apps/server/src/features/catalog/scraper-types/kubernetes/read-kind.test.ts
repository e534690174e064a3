import { expect, test } from "vitest";
import { coreKinds } from "#platform/kubernetes/kinds.ts";
import { KubernetesError } from "#platform/kubernetes/kubernetes-error.ts";
import type { KubernetesObject, Page } from "#platform/kubernetes/list-objects.ts";
import { readKind } from "./read-kind.ts";

const pod = (uid: string): KubernetesObject => ({ metadata: { uid } });
const page = (resourceVersion: string, ...uids: string[]): Page => ({
  objects: uids.map(pod),
  resourceVersion,
  isMore: true,
});

test("a list that is forgotten in its middle is begun again, and stands where it began first", async () => {
  let begun = 0;
  const client = {
    async *pages() {
      begun += 1;
      await Promise.resolve();
      if (begun === 1) {
        yield page("5", "a", "b");
        throw new KubernetesError("expired", { code: 410, reason: "Expired" });
      }
      yield page("9", "b", "c");
      yield page("9", "d");
    },
  };
  let stood: string | undefined;
  const read: string[] = [];
  const options = { onVersion: (at: string) => void (stood = at) };
  for await (const objects of readKind(client, coreKinds.pod, options)) {
    expect(stood).toBeUndefined();
    read.push(...objects.map(({ metadata }) => metadata.uid!));
  }
  // What has gone between the two lists is told by what happened since the first.
  expect([read, stood]).toEqual([["a", "b", "c", "d"], "5"]);
});
