import { once } from "node:events";
import type { ServerResponse } from "node:http";
import {
  areInstalled,
  type Certificates,
  everything,
  kubeconfigOf,
  type KubernetesServer,
  makeCertificates,
  startKubernetes,
} from "@mainstay/testkit/servers/index.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createConnector } from "../outbound/connector.ts";
import { readKubeconfig } from "./kubeconfig.ts";
import { coreKinds } from "./kinds.ts";
import { createKubernetesClient } from "./kubernetes-client.ts";

/** Against the stand-in of an API server that the testkit has, over TLS. */

const accounts = {
  "token of an admin": { user: "admin", rules: [everything] },
  "token of a reader": {
    user: "system:serviceaccount:web:reader",
    rules: [{ verbs: ["get", "list"], resources: ["pods"], namespaces: ["web"] }],
  },
};

const pod = (name: string, namespace = "web", labels: Record<string, string> = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace, labels },
  spec: { nodeName: "n1", containers: [{ name: "app", image: "app" }] },
  status: { phase: "Running" },
});

describe.skipIf(!areInstalled("openssl"))("a cluster", () => {
  let certificates: Certificates | undefined;
  let server: KubernetesServer;
  let old: KubernetesServer;
  const certificateUsers = { localhost: { user: "node", rules: [everything] } };
  beforeAll(async () => {
    certificates = makeCertificates();
    const options = {
      certificates,
      accounts,
      certificateUsers,
      log: () => "line one\nline two\n",
    };
    server = await startKubernetes(options);
    old = await startKubernetes({ ...options, isOld: true });
    server.add({
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "robot", namespace: "web" },
    });
    for (let number = 0; number < 600; number += 1)
      server.add(
        pod(`p${String(number).padStart(3, "0")}`, number < 590 ? "web" : "db", {
          n: String(number % 3),
        }),
      );
  });
  afterEach(() => (server.intercept = undefined));
  afterAll(async () => {
    await server?.close();
    await old?.close();
    certificates?.remove();
  });

  async function client({
    token = "token of an admin",
    isVouchedFor = true,
    timeoutMs = 10_000,
    of = server,
  }: { token?: string; isVouchedFor?: boolean; timeoutMs?: number; of?: KubernetesServer } = {}) {
    const cluster = await readKubeconfig(
      [kubeconfigOf(of, { token, ca: isVouchedFor ? certificates?.ca : undefined })],
      { isOwn: false },
    );
    return createKubernetesClient(cluster, {
      connector: createConnector(),
      signal: AbortSignal.timeout(timeoutMs),
    });
  }

  test("lists page by page, by namespace, labels and fields", async () => {
    const all = await (await client()).list(coreKinds.pod);
    expect(all.objects).toHaveLength(600);
    expect(all.isCut).toBe(false);
    expect(all.objects[0]).toMatchObject({
      apiVersion: "v1",
      kind: "Pod",
      status: { phase: "Running" },
    });
    expect(new Set(all.objects.map(({ metadata }) => metadata.name)).size).toBe(600);
    const { list } = await client();
    const count = async (options: object) => (await list(coreKinds.pod, options)).objects.length;
    expect(await count({ namespace: "db" })).toBe(10);
    expect(await count({ labelSelector: "n in (0, 1), n!=1" })).toBe(200);
    expect(await count({ fieldSelector: "metadata.name=p007" })).toBe(1);
    expect(await list(coreKinds.pod, { most: 300 })).toMatchObject({ isCut: true });
    await expect(count({ fieldSelector: "spec.oddness=1" })).rejects.toThrow(
      /cannot list Pod: .* answered 400: field label not supported: spec.oddness/,
    );
  });

  test("a list that the cluster forgets goes on where it was, and begins again, once, where it cannot", async () => {
    const asked: (string | null)[] = [];
    server.intercept = ({ query }) => {
      asked.push(query.get("continue"));
      if (query.get("continue") && asked.length % 2 === 0) server.store.compact();
      return false;
    };
    const { objects } = await (await client()).list(coreKinds.pod);
    expect(new Set(objects.map(({ metadata }) => metadata.name)).size).toBe(600);
    expect(objects).toHaveLength(600);
    expect(asked.filter((page) => page === null)).toHaveLength(1);
    expect(new Set(asked).size).toBe(asked.length);
    server.intercept = ({ query }) => {
      if (query.get("continue")) server.store.compact();
      return false;
    };
    await expect((await client()).list(coreKinds.pod)).rejects.toThrow(/answered 410/);
  });

  test("creates, applies, deletes", async () => {
    const { create, apply, get, delete: remove } = await client();
    const made = await create(coreKinds.pod, pod("made"), "web");
    expect(made.metadata.uid).toBeTruthy();
    await expect(create(coreKinds.pod, pod("made"), "web")).rejects.toThrow(
      /cannot create Pod "made" in the namespace "web": .* answered 409: pods "made" already exists/,
    );
    await apply(coreKinds.pod, pod("made", "web", { changed: "yes" }), "web");
    expect(await get(coreKinds.pod, { namespace: "web", name: "made" })).toMatchObject({
      metadata: { labels: { changed: "yes" }, uid: made.metadata.uid },
    });
    const at = { namespace: "web", name: "made" };
    await expect(remove(coreKinds.pod, { ...at, uid: "another" })).rejects.toThrow(/409/);
    expect(await remove(coreKinds.pod, at)).toBe(true);
    expect(await remove(coreKinds.pod, at)).toBe(false);
    await expect(get(coreKinds.pod, at)).rejects.toMatchObject({ code: 404, reason: "NotFound" });
    await expect(create(coreKinds.pod, pod("No Name"), "web")).rejects.toThrow(
      /422: Pod .* invalid/,
    );
  });

  test("logs and tokens", async () => {
    const { logs, token } = await client();
    expect(await logs({ namespace: "web", name: "p001", container: "app", most: 4 })).toBe("line");
    expect(await token({ namespace: "web", name: "robot", seconds: 600 })).toBe(
      "token-of-web-robot",
    );
    await expect(token({ namespace: "web", name: "nobody", seconds: 600 })).rejects.toThrow(/404/);
  });

  test("finds kinds by every name, of new servers and old", async () => {
    for (const of of [server, old]) {
      const { findKind } = await client({ of });
      const deployments = {
        kind: "Deployment",
        apiVersion: "apps/v1",
        plural: "deployments",
        isNamespaced: true,
      };
      for (const kind of [
        "Deployment",
        "deploy",
        "deployments",
        "Deployment.v1.apps",
        "Deployment.apps",
      ])
        expect(await findKind({ kind })).toMatchObject(deployments);
      expect(await findKind({ kind: "Node" })).toMatchObject({ isNamespaced: false });
      expect(await findKind({ kind: "Ingress" })).toMatchObject({
        apiVersion: "networking.k8s.io/v1",
      });
      expect(await findKind({ kind: "Ingress", apiVersion: "example.org/v1beta1" })).toMatchObject({
        apiVersion: "example.org/v1beta1",
      });
      await expect(findKind({ kind: "Gadget" })).rejects.toThrow('knows no kind "Gadget"');
      await expect(findKind({ kind: "Pod", apiVersion: "example.org/v9" })).rejects.toThrow(
        'knows no kind "Pod" of example.org/v9',
      );
    }
  });

  test("refusals say what was asked, and why not", async () => {
    const reader = await client({ token: "token of a reader" });
    expect((await reader.list(coreKinds.pod, { namespace: "web" })).objects).toHaveLength(590);
    await expect(reader.list(coreKinds.secret, { namespace: "web" })).rejects.toThrow(
      /cannot list Secret in the namespace "web": .* answered 403 \(a role .*\): secrets is forbidden: User "system:serviceaccount:web:reader" cannot list/,
    );
    await expect(reader.list(coreKinds.pod)).rejects.toThrow(/at the cluster scope/);
    const stranger = (await client({ token: "token of nobody" })).list(coreKinds.pod);
    await expect(stranger).rejects.toThrow(/answered 401 \(it does not accept the credentials/);
    await expect(stranger).rejects.not.toThrow(/token of nobody/);
  });

  test("a client certificate", async () => {
    const { cert, key, ca } = certificates!;
    const cluster = await readKubeconfig([kubeconfigOf(server, { ca })], { isOwn: false });
    const ask = { connector: createConnector(), signal: AbortSignal.timeout(10_000) };
    const { list } = createKubernetesClient({ ...cluster, tls: { ca, cert, key } }, ask);
    expect((await list(coreKinds.pod, { namespace: "db" })).objects).toHaveLength(10);
    expect(server.asked.at(-1)?.user).toBe("node");
    const another = { ...cluster, tls: { ca, cert, key, serverName: "another.example" } };
    await expect(createKubernetesClient(another, ask).list(coreKinds.pod)).rejects.toThrow(
      /is for another name/,
    );
  });

  test("a certificate that nobody vouches for", async () => {
    await expect((await client({ isVouchedFor: false })).list(coreKinds.pod)).rejects.toThrow(
      /certificate of 127\.0\.0\.1:\d+ comes from an unknown authority/,
    );
  });

  test("an overloaded cluster is asked again when it says so, and not for ever", async () => {
    server.beBusy(3, 0);
    expect((await (await client()).list(coreKinds.pod, { namespace: "db" })).objects).toHaveLength(
      10,
    );
    server.beBusy(4, 0);
    await expect((await client()).list(coreKinds.pod)).rejects.toThrow(
      /answered 429 \(it is asked too often\)/,
    );
    server.beBusy(0, 0);
  });

  test.each<[string, (response: ServerResponse) => void, RegExp]>([
    [
      "garbage",
      (response) => response.end("<html>sesame</html>"),
      /does not answer as a Kubernetes/,
    ],
    ["another JSON", (response) => response.end("[]"), /does not answer as a Kubernetes/],
    ["a list of nothing", (response) => response.end('{"items":{}}'), /does not answer as a Kube/],
    [
      "depth without end",
      (response) => response.end(`{"items":${"[".repeat(100_000)}${"]".repeat(100_000)}}`),
      /does not answer as a Kubernetes/,
    ],
    [
      "a redirect",
      (response) => {
        response.writeHead(302, { location: "http://127.0.0.1:1/" });
        response.end();
      },
      /answered 302/,
    ],
    [
      "a page of a proxy",
      (response) => {
        response.writeHead(502, { "content-type": "text/html" });
        response.end("<html>bad gateway</html>");
      },
      /answered 502$/,
    ],
    [
      "pages without end",
      (response) => response.end('{"metadata":{"continue":"more"},"items":[]}'),
      /nothing was thrown/,
    ],
  ])("a server that answers %s", async (_name, behave, message) => {
    server.intercept = (_asked, response) => {
      behave(response);
      return true;
    };
    const listing = (await client()).list(coreKinds.pod).then((list) => {
      expect(list).toEqual({ objects: [], isCut: true });
      throw new Error("nothing was thrown");
    });
    await expect(listing).rejects.toThrow(message);
  });

  test("a server that answers nothing, or never stops", async () => {
    server.intercept = () => true;
    await expect((await client({ timeoutMs: 300 })).list(coreKinds.pod)).rejects.toMatchObject({
      name: "TimeoutError",
    });
    server.intercept = (_asked, response) => {
      const more = () => {
        while (!response.destroyed && response.write(" ".repeat(1_000_000)));
      };
      response.on("drain", more);
      more();
      return true;
    };
    await expect((await client()).list(coreKinds.pod)).rejects.toThrow(/answer .* is too long/);
  });

  test("names that lead elsewhere, and clusters that may not be reached", async () => {
    const { get } = await client();
    for (const name of ["..", ".", "", "a/b"])
      await expect(async () => get(coreKinds.pod, { namespace: "web", name })).rejects.toThrow(
        "is no name of Kubernetes",
      );
    const cluster = await readKubeconfig([kubeconfigOf(server, { ca: certificates?.ca })], {
      isOwn: false,
    });
    const ask = {
      connector: createConnector({ deny: ["127.0.0.0/8"] }),
      signal: AbortSignal.timeout(10_000),
    };
    await expect(createKubernetesClient(cluster, ask).list(coreKinds.pod)).rejects.toThrow(
      /not allowed by this server's address policy/,
    );
    // The server's own settings are not judged.
    await expect(
      createKubernetesClient({ ...cluster, isOwn: true }, ask).list(coreKinds.pod),
    ).rejects.toThrow(/answered 401/);
  });

  test("a watch that its server does not end is left", async () => {
    const { watch } = await client();
    let ended: Promise<unknown> | undefined;
    server.intercept = ({ query }, response) => {
      if (query.get("watch") !== "true") return false;
      ended = once(response, "close");
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"1"}}}\n');
      return true;
    };
    const watching = watch(coreKinds.pod, { resourceVersion: "1", seconds: 0, graceMs: 200 });
    await expect(watching).rejects.toThrow(/cannot watch Pod: .* does not end its answer/);
    await ended;
  });
});
