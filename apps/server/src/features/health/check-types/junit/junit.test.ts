import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type ExecAnswer,
  kubeconfigOf,
  removeFolder,
  type StoredObject,
  temporaryFolder,
} from "@mainstay/testkit/servers/index.ts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  lackImage,
  makeReady,
  startTestCluster,
  type TestCluster,
} from "../testing/test-cluster.ts";
import { tryCheck } from "../testing/try-check.ts";
import type { ArtifactKeeper } from "../check-type.ts";
import { junit } from "./junit.ts";
import { readResultPlace } from "./result-place.ts";

/**
 * The cluster is the stand-in of an API server that the testkit has. What the check runs in the pod to read the results
 * is run here by a real shell, in a folder that stands for the pod's.
 */

const good =
  '<testsuite name="shop"><testcase name="adds" time="0.5"/><testcase name="pays" time="1"/></testsuite>';
const bad =
  '<testsuite name="cart"><testcase name="empties"><failure message="not empty"/></testcase></testsuite>';

let cluster: TestCluster;
let folder: string;
let answer: ExecAnswer | undefined;
let made: StoredObject | undefined;

beforeAll(async () => {
  folder = temporaryFolder("junit");
  cluster = await startTestCluster({
    exec(_pod, container, command) {
      if (container !== "mainstay-results") return { exitCode: 127 };
      if (answer) return answer;
      const [program, ...args] = command as [string, ...string[]];
      const run = spawnSync(program, [...args.slice(0, -1), join(folder, "pod")]);
      return { stdout: run.stdout, stderr: run.stderr.toString(), exitCode: run.status ?? 1 };
    },
  });
  const write = (path: string, text: string) => {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write("pod/TEST-shop.xml", good);
  write("pod/below it/TEST-cart.xml", bad);
  write("pod/notes.txt", "not a result");
  write("pod/screens/new\nline $(id).png", "png");
  write("pod/screens/large.png", "x".repeat(101));
  write("good/one.xml", good);
  write("good/notes.txt", "not a result");
  write("bad/deep/er/TEST-cart.xml", bad);
  write("broken/one.xml", '<!DOCTYPE a [<!ENTITY b "c">]><testsuite/>');
  write("large/one.xml", " ".repeat(16 * 1024 * 1024 + 1));
  mkdirSync(join(folder, "empty"));
  symlinkSync(join(folder, "good"), join(folder, "empty/linked"));
  symlinkSync("/etc/passwd", join(folder, "empty/passwd.xml"));
  symlinkSync("/etc/passwd", join(folder, "pod/screens/passwd.png"));
});
afterEach(() => {
  expect(cluster.names("Pod")).toEqual([]);
  cluster.onPod = endTests(0);
  answer = undefined;
});
afterAll(async () => {
  await cluster?.server.close();
  if (folder) removeFolder(folder);
});

/** The tests' containers have ended with a code, the one that waits for them runs. */
const endTests = (exitCode: number) => (pod: StoredObject) => {
  made = structuredClone(pod);
  makeReady(pod);
  for (const status of pod.status.containerStatuses as Record<string, unknown>[])
    if (status.name !== "mainstay-results")
      status.state = { terminated: { exitCode, reason: exitCode === 0 ? "Completed" : "Error" } };
};

const spec = {
  containers: [{ name: "jes", image: "tests", volumeMounts: [{ name: "own" }] }],
  volumes: [{ name: "own" }],
};
const inPod = (more: object = {}, options: Parameters<typeof tryCheck>[2] = {}) => {
  cluster.onPod ??= endTests(0);
  return tryCheck(
    junit,
    { testResults: "/tmp/junit-results/", spec, kubeconfig: cluster.kubeconfig, ...more },
    options,
  );
};

test("a pod runs the tests, and what they wrote is read", async () => {
  cluster.onPod = endTests(1);
  const outcome = await inPod();
  expect(outcome).toMatchObject({
    pass: false,
    isDefaultVerdict: true,
    error: "1 of 3 tests failed: empties (not empty)",
    durationMs: 1500,
    details: {
      passed: 2,
      failed: 1,
      duration: 1.5,
      failures: [{ suite: "cart", name: "empties", status: "failed", message: "not empty" }],
    },
  });
  expect(outcome.data!()).toMatchObject({
    results: {
      passed: 2,
      failed: 1,
      skipped: 0,
      error: 0,
      duration: 1.5,
      suites: expect.arrayContaining([
        expect.objectContaining({ name: "shop", passed: 2, tests: expect.any(Array) as unknown }),
      ]) as unknown,
    },
  });
  expect(made).toMatchObject({
    metadata: { namespace: "default", labels: { "app.kubernetes.io/managed-by": "mainstay" } },
    spec: {
      restartPolicy: "Never",
      volumes: [{ name: "own" }, { name: "mainstay-results", emptyDir: {} }],
      containers: [
        {
          name: "jes",
          volumeMounts: [
            { name: "own" },
            { name: "mainstay-results", mountPath: "/tmp/junit-results" },
          ],
        },
        { name: "mainstay-results" },
      ],
    },
  });
});

test("of a pattern only what it means", async () => {
  const outcome = await inPod({ testResults: "/tmp/junit-results/TEST-*.xml", namespace: "web" });
  expect(outcome).toMatchObject({ pass: true, message: "2 of 2 tests passed" });
  expect(made!.metadata.namespace).toBe("web");
});

test.each<[string, () => object | void, RegExp]>([
  [
    "no results",
    () => ((answer = { stdout: "" }), (cluster.onPod = endTests(2)), {}),
    /^there are no results: jes ended with code 2 \(Error\)$/,
  ],
  [
    "no folder",
    () => ((answer = { exitCode: 3, stderr: "can't cd" }), {}),
    /results in \/tmp\/junit-results of the pod cannot be read: .* 3: can't cd/,
  ],
  ["cut results", () => ((answer = { stdout: "100 ./a.xml\n<x" }), {}), /came cut/],
  ["odd results", () => ((answer = { stdout: "hello\n" }), {}), /another form/],
  [
    "no XML",
    () => ((answer = { stdout: "1 ./a.xml\nx" }), {}),
    /a\.xml cannot be read: it should have one/,
  ],
  [
    "no right",
    () => ({ kubeconfig: { value: kubeconfigOf(cluster.server, { token: "token of a reader" }) } }),
    /cannot create Pod .* 403/,
  ],
])("fails: %s", async (_name, prepare, error) => {
  const outcome = await inPod(prepare() ?? {});
  expect(outcome.pass).toBe(false);
  expect(outcome.isDefaultVerdict).toBeUndefined();
  expect(outcome.error).toMatch(error);
});

test("a token that the cluster does not know is refused, and not shown", async () => {
  const value = kubeconfigOf(cluster.server, { token: "sesame-of-nobody" });
  const outcome = await inPod({ kubeconfig: { value } });
  expect(outcome.error).toMatch(/answered 401 .*credentials/);
  expect(JSON.stringify(outcome)).not.toContain("sesame");
});

test("tests that do not end, in their time or at all", async () => {
  cluster.onPod = lackImage;
  expect((await inPod({ timeout: "200ms" })).error).toMatch(
    /not done with its tests within 200 ms: ImagePullBackOff/,
  );
  expect(await inPod({}, { timeoutMs: 200 })).toMatchObject({ error: "timed out after 200 ms" });
});

test("files of the pod are kept from the folder of the results, and none from elsewhere", async () => {
  const found: Record<string, string> = {};
  const artifacts: ArtifactKeeper = {
    async keep(files) {
      for await (const file of files)
        found[file.path] =
          "problem" in file
            ? `(${file.problem})`
            : await file.read(100).then(
                (bytes) => String(bytes?.length),
                (error: Error) => error.message,
              );
    },
  };
  const wanted = [
    { path: "/tmp/junit-results/screens" },
    { path: "/tmp/junit-results/*.txt" },
    { path: "/var/run/secrets/token" },
    { path: "/tmp/junit-results/../../etc/passwd" },
  ];
  cluster.onPod = endTests(1);
  const outcome = await inPod({ artifacts: wanted }, { artifacts });
  expect(outcome.error).toBe("1 of 3 tests failed: empties (not empty)");
  expect(found).toEqual({
    "/var/run/secrets/token": "(outside /tmp/junit-results, the folder of the results)",
    "/tmp/junit-results/../../etc/passwd":
      "(outside /tmp/junit-results, the folder of the results)",
    "notes.txt": "12",
    "screens/large.png": "undefined",
    "screens/new\nline $(id).png": "3",
  });

  // Results that cannot be read are when they are wanted most.
  for (const path of Object.keys(found)) delete found[path];
  cluster.onPod = endTests(0);
  const broken = await inPod(
    { testResults: "/tmp/junit-results/none-*.xml", artifacts: wanted.slice(1, 2) },
    { artifacts },
  );
  expect([broken.error, found]).toEqual(["there are no results", { "notes.txt": "12" }]);

  const ours = await tryCheck(
    junit,
    { testResults: join(folder, "good"), artifacts: [{ path: "/etc/passwd" }] },
    { artifacts },
  );
  expect(ours.pass).toBe(true);
  expect(found["/etc/passwd"]).toBe("(only files of a pod are kept, and there is none)");
});

const local = (path: string) => tryCheck(junit, { testResults: join(folder, path) });

test("results of this server, where no pod is given", async () => {
  expect(await local("good")).toMatchObject({ pass: true, message: "2 of 2 tests passed" });
  expect(await local("good/one.xml")).toMatchObject({ pass: true });
  expect(await local("bad/**/TEST-*.xml")).toMatchObject({ pass: false, isDefaultVerdict: true });
  expect((await local("bad/*.xml")).error).toBe("there are no results");
  expect((await local("empty")).error).toBe("there are no results");
  expect((await local("none")).error).toMatch(/^there is no folder/);
  expect((await local("broken")).error).toMatch(/one\.xml cannot be read: it has a document type/);
  expect((await local("large")).error).toMatch(/16 MiB/);
});

test.each([
  ["/tmp/results/", "/tmp/results", "a/b.XML", "a/b.txt"],
  ["/tmp/results/*.xml", "/tmp/results", "b.xml", "a/b.xml"],
  ["/tmp/**/TEST-?.xml", "/tmp", "a/b/TEST-1.xml", "a/b/TEST-12.xml"],
  ["/tmp/a.xml", "/tmp", "a.xml", "b.xml"],
])("the place %s", (text, at, is, isNot) => {
  const place = readResultPlace(text)!;
  expect(place.folder).toBe(at);
  expect([place.isResult(is), place.isResult(isNot)]).toEqual([true, false]);
});

test("what is no place, and no pod", async () => {
  for (const text of ["results", "/", "/../etc", "/*.xml"])
    expect(await tryCheck(junit, { testResults: text })).toMatchObject({ invalid: true });
  expect(await inPod({ spec: {} })).toMatchObject({ pass: false, invalid: true });
});
