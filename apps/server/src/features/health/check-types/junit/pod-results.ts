import type { JunitSpec } from "@mainstay/contract";
import type { KubernetesClient } from "#platform/kubernetes/kubernetes-client.ts";
import type { KubernetesObject } from "#platform/kubernetes/list-objects.ts";
import { ownLabels } from "../kubernetes/ownership.ts";
import { PodTrouble, statusOf, waitForPod } from "../pod/pod-steps.ts";
import {
  mostBytes,
  mostFiles,
  type ResultFile,
  type ResultPlace,
  TooManyResults,
} from "./result-place.ts";

/** The container that stays until the results are read: the tests' own have ended by then. */
export const reader = "mainstay-results";
const readerImage = "docker.io/library/busybox:stable";

type PodSpec = NonNullable<JunitSpec["spec"]>;

/** The pod of the tests, with a folder for the results that a further container sees as well. */
export function podOfTests(
  spec: PodSpec,
  {
    folder,
    mark,
    name,
    namespace,
  }: { folder: string; mark: string; name: string; namespace: string },
): KubernetesObject {
  const mount = { name: reader, mountPath: folder };
  const containers = (spec.containers ?? []) as { volumeMounts?: unknown[] }[];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels: ownLabels(mark) },
    spec: {
      ...spec,
      restartPolicy: "Never",
      volumes: [...((spec.volumes as unknown[] | undefined) ?? []), { name: reader, emptyDir: {} }],
      containers: [
        ...containers.map((container) => ({
          ...container,
          volumeMounts: [...(container.volumeMounts ?? []), mount],
        })),
        {
          name: reader,
          image: readerImage,
          command: ["sh", "-c", "trap exit TERM; while true; do sleep 1; done"],
          volumeMounts: [mount],
        },
      ],
    },
  };
}

interface Ended {
  name: string;
  exitCode: number;
  reason?: string;
}

function endedIn(pod: KubernetesObject): Ended[] {
  const { containerStatuses = [] } = statusOf(pod) as {
    containerStatuses?: {
      name: string;
      state?: { terminated?: { exitCode: number; reason?: string } };
    }[];
  };
  return containerStatuses.flatMap(({ name, state }) =>
    state?.terminated && name !== reader ? [{ name, ...state.terminated }] : [],
  );
}

/** Waits until all containers of the tests have ended, and says how. */
export async function waitForTests(
  client: KubernetesClient,
  place: { namespace: string; name: string },
  { count, timeoutMs, signal }: { count: number; timeoutMs: number; signal: AbortSignal },
): Promise<Ended[]> {
  const pod = await waitForPod(client, place, {
    what: "done with its tests",
    isThere(found) {
      if (statusOf(found).phase === "Failed" && endedIn(found).length < count)
        throw new PodTrouble(`the pod ${place.name} failed before its tests had ended`);
      return endedIn(found).length >= count;
    },
    timeoutMs,
    signal,
  });
  return endedIn(pod);
}

/** Of every file its size and its path in a line, then what it holds. */
const printResults = [
  'cd "$1" || exit 3',
  `find . -type f -name '*.[xX][mM][lL]' | head -n ${mostFiles + 1} | while IFS= read -r file; do`,
  `  printf '%s %s\\n' "$(wc -c < "$file")" "$file"`,
  '  cat "$file"',
  "done",
].join("\n");

export const printCommand = (folder: string): string[] => ["sh", "-c", printResults, "sh", folder];

/** What the container printed, as files. */
export function filesIn(printed: Buffer, { isResult }: ResultPlace): ResultFile[] {
  const files: ResultFile[] = [];
  let seen = 0;
  for (let at = 0; at < printed.length;) {
    const end = printed.indexOf(10, at);
    const [, size, path] =
      /^\s*(\d+) (?:\.\/)?(.+)$/.exec(printed.subarray(at, Math.max(end, at)).toString("utf8")) ??
      [];
    if (size === undefined || path === undefined)
      throw new PodTrouble("the results of the pod came in another form than expected");
    seen += 1;
    if (seen > mostFiles) throw new TooManyResults();
    const from = end + 1;
    at = from + Number(size);
    if (at > printed.length) throw new PodTrouble("the results of the pod came cut");
    if (isResult(path)) files.push({ path, text: printed.subarray(from, at).toString("utf8") });
  }
  return files;
}

/** Reads the results out of the pod while it still runs. */
export async function readPodResults(
  client: KubernetesClient,
  podPlace: { namespace: string; name: string },
  place: ResultPlace,
): Promise<ResultFile[]> {
  const { stdout, stderr, failure } = await client.exec({
    ...podPlace,
    container: reader,
    command: printCommand(place.folder),
    most: mostBytes,
  });
  if (failure !== undefined)
    throw new PodTrouble(
      `the results in ${place.folder} of the pod cannot be read: ${[failure, stderr.trim()].filter(Boolean).join(": ")}`,
    );
  return filesIn(stdout, place);
}
