import type { KubernetesScraper } from "@mainstay/contract";
import { scraperType } from "../scraper-type.ts";
import { followCluster } from "./follow-cluster.ts";
import { inCluster } from "./open-cluster.ts";
import { readCluster } from "./read-cluster.ts";

/** The objects of a cluster, and what happens to them. */
export const kubernetesScraper = scraperType<KubernetesScraper>({
  type: "kubernetes",
  scrape: (input) => inCluster(input, (client) => readCluster(client, input)),
  follow: (input, from) => inCluster(input, (client) => followCluster(client, input, from)),
});
