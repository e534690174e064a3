import {
  everything,
  type ExecAnswer,
  kubeconfigOf,
  type KubernetesServer,
  startKubernetes,
} from "@mainstay/testkit/servers/index.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createConnector } from "../outbound/connector.ts";
import { readKubeconfig } from "./kubeconfig.ts";
import { createKubernetesClient } from "./kubernetes-client.ts";

/** Against the stand-in of an API server that the testkit has. */

let server: KubernetesServer;
let answer: ExecAnswer = {};
let commands: (readonly string[])[] = [];

beforeAll(async () => {
  server = await startKubernetes({
    accounts: {
      admin: { user: "admin", rules: [everything] },
      reader: { user: "reader", rules: [{ verbs: ["get"], resources: ["pods"] }] },
    },
    exec(_pod, _container, command) {
      commands.push(command);
      return answer;
    },
  });
  server.add({ apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "web" } });
});
afterAll(() => server?.close());

async function exec(
  what: ExecAnswer,
  { token = "admin", name = "p", most = 1_000_000, timeoutMs = 10_000 } = {},
) {
  answer = what;
  commands = [];
  const cluster = await readKubeconfig([kubeconfigOf(server, { token })], { isOwn: false });
  const signal = AbortSignal.timeout(timeoutMs);
  const client = createKubernetesClient(cluster, { connector: createConnector(), signal });
  const command = ["sh", "-c", "cat a b && c", "d"];
  return client.exec({ namespace: "web", name, container: "app", command, most });
}

test("what a program prints, in frames of every length", async () => {
  const long = Buffer.alloc(200_001, "äöü\n");
  const found = await exec({ stdout: long, stderr: "careful" });
  expect(found.stdout.equals(long)).toBe(true);
  expect(found).toMatchObject({ stderr: "careful" });
  expect(found.failure).toBeUndefined();
  expect(commands).toEqual([["sh", "-c", "cat a b && c", "d"]]);
  expect(server.asked.at(-1)?.headers["sec-websocket-protocol"]).toContain("v4.channel.k8s.io");
});

test("how it ended", async () => {
  expect(await exec({ stderr: "no such folder", exitCode: 3 })).toMatchObject({
    failure: "command terminated with non-zero exit code: exit status 3",
    stderr: "no such folder",
  });
});

test.each<[string, Parameters<typeof exec>[1] & object, RegExp]>([
  ["no right", { token: "reader" }, /answered 403 .*cannot create resource "pods\/exec"/],
  ["wrong credentials", { token: "nobody" }, /answered 401/],
  [
    "no such pod",
    { name: "none" },
    /cannot run sh in the Pod "none" .*answered 404: pods "none" not/,
  ],
  ["more than wanted", { most: 10 }, /more than/],
])("refused: %s", async (_name, options, message) => {
  await expect(exec({ stdout: "x".repeat(5000) }, options)).rejects.toThrow(message);
});

test.each<[string, Buffer, RegExp]>([
  [
    "a frame without end",
    Buffer.from([0x82, 127, 0, 0, 0x10, 0, 0, 0, 0, 0]),
    /more than was asked/,
  ],
  ["masked frames", Buffer.from([0x82, 0x81, 1, 2, 3, 4, 5]), /does not speak WebSocket/],
  ["a continuation of nothing", Buffer.from([0x80, 1, 1]), /does not speak WebSocket/],
  ["an end without a word", Buffer.from([0x88, 0]), /ended the connection before the program did/],
])("a server that sends %s", async (_name, raw, message) => {
  await expect(exec({ raw })).rejects.toThrow(message);
});

test("a server that says no more", async () => {
  await expect(exec({ raw: Buffer.from([0x82]) }, { timeoutMs: 300 })).rejects.toMatchObject({
    name: "TimeoutError",
  });
});
