import { expect, onTestFinished, test } from "vitest";
import { scrapeWith } from "../testing/scrape.ts";
import { startShop } from "../testing/shop-cluster.ts";

/** Files that the containers of the stand-in have. */
const files: Readonly<Record<string, string>> = {
  "/etc/app.yaml": "replicas: 2\n",
  "/etc/app.conf": "a = 1\n",
};

async function start() {
  const ran: string[] = [];
  const shop = await startShop({
    exec(pod, container, command) {
      ran.push(`${pod.metadata.name}/${container}: ${command.join(" ")}`);
      const content = files[command.at(-1)!];
      return content === undefined
        ? { stderr: `cat: ${command.at(-1)}: No such file or directory\n`, exitCode: 1 }
        : { stdout: content };
    },
  });
  onTestFinished(() => shop.server.close());
  const scrape = (spec: object) =>
    scrapeWith("kubernetesFile", { kubeconfig: shop.kubeconfig, ...spec });
  return { shop, ran, scrape };
}

test("files of pods that run, in the container that is meant", async () => {
  const { shop, ran, scrape } = await start();
  const spec = {
    selector: { namespace: "shop", name: "web-*", fieldSelector: "status.phase=Running" },
    files: [
      { path: ["/etc/app.yaml", "/etc/missing"] },
      { path: ["/etc/app.conf"], format: "conf" },
    ],
  };
  const { contents, failures } = await scrape(spec);
  expect(contents).toEqual([
    {
      content: "replicas: 2\n",
      source: "shop/Pod/web-7f9c-x1:/etc/app.yaml",
      format: "yaml",
      defaults: {
        id: "shop/Pod/web-7f9c-x1/etc/app.yaml",
        name: "app.yaml",
        type: "File",
        class: "File",
      },
    },
    expect.objectContaining({ content: "a = 1\n", format: "conf" }),
  ]);
  expect(failures).toEqual([
    "shop/web-7f9c-x1:/etc/missing: cat: /etc/missing: No such file or directory",
  ]);
  expect(ran[0]).toBe("web-7f9c-x1/app: cat -- /etc/app.yaml");
  shop.update("Pod/web-7f9c-x1", ({ metadata }) => {
    metadata.annotations = { "kubectl.kubernetes.io/default-container": "side" };
  });
  await scrape(spec);
  await scrape({ ...spec, container: "named" });
  expect(ran.slice(3).map((line) => line.split(":")[0])).toEqual([
    ...Array.from({ length: 3 }, () => "web-7f9c-x1/side"),
    ...Array.from({ length: 3 }, () => "web-7f9c-x1/named"),
  ]);
});

test("files of one pod of a deployment, under the deployment's name", async () => {
  const { shop, ran, scrape } = await start();
  shop.update("Deployment/web", (deployment) => {
    deployment.spec.selector = { matchLabels: { app: "web" } };
  });
  const spec = {
    selector: { kind: "Deployment", namespace: "shop", name: "web" },
    files: [{ path: "/etc/app.yaml" }],
  };
  const { contents } = await scrape(spec);
  expect(contents.map(({ defaults }) => defaults?.id)).toEqual([
    "shop/Deployment/web/etc/app.yaml",
  ]);
  // The evicted one does not run.
  expect(ran).toEqual(["web-7f9c-x1/app: cat -- /etc/app.yaml"]);
  // One that is not ready is the second choice.
  const ready = (status: string) => ({ conditions: [{ type: "Ready", status }] });
  shop.update("Pod/web-7f9c-x1", (pod) => Object.assign(pod.status, ready("True")));
  shop.add({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web-7f9c-a1", namespace: "shop", labels: { app: "web" } },
    spec: { containers: [{ name: "app" }] },
    status: { phase: "Running", ...ready("False") },
  });
  await scrape(spec);
  expect(ran.at(-1)).toBe("web-7f9c-x1/app: cat -- /etc/app.yaml");
  shop.remove("Pod/web-7f9c-x1");
  await scrape(spec);
  expect(ran.at(-1)).toBe("web-7f9c-a1/app: cat -- /etc/app.yaml");
  shop.remove("Pod/web-7f9c-a1");
  expect((await scrape(spec)).failures).toEqual([
    "shop/web: no pod of it runs, so its files were not read.",
  ]);
  await expect(scrape({ ...spec, selector: { name: "nobody" } })).rejects.toThrow(
    "selector: there is no Pod that it selects.",
  );
});
