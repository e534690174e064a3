import type { KubernetesFileScraper, KubernetesScraper, ScraperBase } from "@mainstay/contract";
import {
  createKubernetesClient,
  type KubernetesClient,
} from "#platform/kubernetes/kubernetes-client.ts";
import { clusterSecrets, findCluster } from "#platform/kubernetes/open-client.ts";
import { createHider } from "#platform/sealing/hide-secrets.ts";
import { hideInFound } from "../../scraping/hide-found.ts";
import type { Found } from "../../scraping/scraped.ts";
import type { ScrapeInput } from "../scraper-type.ts";

/** Reads the cluster that a document names; nothing of how it is reached shows in what is found. */
export async function* inCluster<
  Spec extends ScraperBase & (KubernetesScraper | KubernetesFileScraper),
>(
  { spec, connector, signal }: Pick<ScrapeInput<Spec>, "spec" | "connector" | "signal">,
  read: (client: KubernetesClient) => AsyncIterable<Found>,
): AsyncGenerator<Found> {
  const cluster = await findCluster(spec.kubeconfig?.value, { connector });
  const hider = createHider(clusterSecrets(cluster));
  const client = createKubernetesClient(cluster, { connector, signal });
  if (!hider) return yield* read(client);
  try {
    for await (const found of read(client)) yield hideInFound(found, hider);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new Error(hider.message(error.message), { cause: error });
  }
}
