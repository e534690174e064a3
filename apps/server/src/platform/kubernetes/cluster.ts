import type { HttpAuth } from "../outbound/http/authorization.ts";
import type { TlsOptions } from "../outbound/tls.ts";

/** Where the API of a cluster is, and as whom it is asked. It holds secrets. */
export interface Cluster {
  /** Of the API server, perhaps below a path. */
  url: URL;
  tls: TlsOptions;
  auth?: Extract<HttpAuth, { kind: "basic" | "bearer" }>;
  /** Holds the token, which is renewed from time to time: read for every request. */
  tokenFile?: string;
  /** For objects of which nobody says another. */
  namespace: string;
  /** Of an HTTP proxy. */
  proxy?: string;
  /** Named by the settings of this server or of its machine, not by a document. */
  isOwn: boolean;
}

/** Finds the cluster that this server stands in or is told of; undefined when there is none. */
export type FindCluster = () => Promise<Cluster | undefined>;

/** What is wrong with the way to a cluster, in words; never with a secret. */
export class ClusterUnusable extends Error {
  override readonly name = "ClusterUnusable";
}
