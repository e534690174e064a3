import { access } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { type Cluster, ClusterUnusable, type FindCluster } from "./cluster.ts";
import { readKubeconfig, readNamed } from "./kubeconfig.ts";

/** Where Kubernetes puts the service account of a pod. */
const accountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/** In place of a file: there is no cluster, whatever the machine says. */
const noCluster = "none";

interface Surroundings {
  env?: NodeJS.ProcessEnv;
  accountFolder?: string;
}

/**
 * The server's own cluster: the one that the setting names, else the one whose pod this is. Files are read each time,
 * since tokens and certificates in them are renewed.
 */
export function findOwnCluster(
  { kubeconfig }: { kubeconfig?: string | undefined },
  { env = process.env, accountFolder: folder = accountFolder }: Surroundings = {},
): FindCluster {
  return async () => {
    if (kubeconfig === noCluster) return undefined;
    if (kubeconfig !== undefined) return fromFiles(kubeconfig.split(delimiter).filter(Boolean));
    const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = "443" } = env;
    if (!host) return undefined;
    const tokenFile = join(folder, "token");
    const isThere = await access(tokenFile).then(
      () => true,
      () => false,
    );
    // A pod may be told to go without an account.
    if (!isThere) return undefined;
    return fromPod({ host, port, folder, tokenFile });
  };
}

async function fromFiles(paths: readonly string[]): Promise<Cluster> {
  const [first] = paths;
  if (first === undefined) throw new ClusterUnusable("the setting KUBECONFIG names no file");
  const texts = await Promise.all(paths.map((path) => readNamed(path, "kubeconfig")));
  return readKubeconfig(texts, { directory: dirname(first), isOwn: true });
}

async function fromPod({
  host,
  port,
  folder,
  tokenFile,
}: {
  host: string;
  port: string;
  folder: string;
  tokenFile: string;
}): Promise<Cluster> {
  const name = host.includes(":") ? `[${host}]` : host;
  const [ca, namespace] = await Promise.all([
    readNamed(join(folder, "ca.crt"), "cluster's authority"),
    readNamed(join(folder, "namespace"), "pod's namespace").catch(() => "default"),
  ]);
  return {
    url: new URL(`https://${name}:${port}`),
    tls: { ca },
    tokenFile,
    namespace: namespace.trim() || "default",
    isOwn: true,
  };
}
