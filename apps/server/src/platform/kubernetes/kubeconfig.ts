import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseDocument } from "yaml";
import { z } from "zod";
import type { TlsOptions } from "../outbound/tls.ts";
import { type Cluster, ClusterUnusable } from "./cluster.ts";

/** Of a kubeconfig or a file that it names, in characters. */
const longestFile = 1_048_576;

const clusterShape = z.looseObject({
  server: z.string().optional(),
  "certificate-authority": z.string().optional(),
  "certificate-authority-data": z.string().optional(),
  "insecure-skip-tls-verify": z.boolean().optional(),
  "tls-server-name": z.string().optional(),
  "proxy-url": z.string().optional(),
});
const userShape = z.looseObject({
  token: z.string().optional(),
  tokenFile: z.string().optional(),
  username: z.string().optional(),
  password: z.string().optional(),
  "client-certificate": z.string().optional(),
  "client-certificate-data": z.string().optional(),
  "client-key": z.string().optional(),
  "client-key-data": z.string().optional(),
});
const contextShape = z.looseObject({
  cluster: z.string().optional(),
  user: z.string().optional(),
  namespace: z.string().optional(),
});
const named = <Key extends string, Shape extends z.ZodType>(key: Key, shape: Shape) =>
  z
    .array(
      z.looseObject({ name: z.string(), [key]: shape } as { name: z.ZodString } & Record<
        Key,
        Shape
      >),
    )
    .nullish();
const kubeconfigShape = z.looseObject({
  clusters: named("cluster", clusterShape),
  users: named("user", userShape.nullish()),
  contexts: named("context", contextShape),
  "current-context": z.string().nullish(),
});
type Kubeconfig = z.output<typeof kubeconfigShape>;
type User = z.output<typeof userShape>;

const unusable = (message: string) => new ClusterUnusable(message);

function parse(text: string): Kubeconfig {
  if (text.length > longestFile) throw unusable("the kubeconfig is longer than 1 MiB");
  const document = parseDocument(text, { logLevel: "silent", prettyErrors: false });
  let content: unknown;
  try {
    content = document.errors.length > 0 ? undefined : document.toJS({ maxAliasCount: 10 });
  } catch {
    // Aliases without end.
    content = undefined;
  }
  const read = kubeconfigShape.safeParse(content);
  if (read.success) return read.data;
  // What stands in it is secret, so the message quotes nothing.
  throw unusable(
    "the kubeconfig cannot be read: it should be YAML with clusters, users and contexts",
  );
}

/** Several files are one: of what has a name the first counts. */
function merged(parts: readonly Kubeconfig[]): Kubeconfig {
  return {
    clusters: parts.flatMap((part) => part.clusters ?? []),
    users: parts.flatMap((part) => part.users ?? []),
    contexts: parts.flatMap((part) => part.contexts ?? []),
    "current-context": parts.map((part) => part["current-context"]).find(Boolean) ?? "",
  };
}

/** Programs are never run for credentials, and nobody is impersonated. */
const refusedOfUser: Readonly<Record<string, string>> = {
  exec: "runs a program for its credentials (exec), which this server does not do",
  "auth-provider":
    "gets its credentials from an auth-provider, which Kubernetes itself no longer has",
  as: "acts as somebody else (as), which is not supported",
  "as-groups": "acts as somebody else (as-groups), which is not supported",
};

interface Files {
  /** Where paths of the kubeconfig start; absent where it may name none. */
  directory?: string;
}

async function textOf(
  data: string | undefined,
  path: string | undefined,
  { what, directory }: Files & { what: string },
): Promise<string | undefined> {
  if (data) return Buffer.from(data, "base64").toString("utf8");
  if (!path) return undefined;
  return readNamed(placeOf(path, { what, directory }), what);
}

function placeOf(path: string, { what, directory }: Files & { what: string }): string {
  if (directory !== undefined) return resolve(directory, path);
  throw unusable(
    `the kubeconfig names a file for its ${what}; write it into the kubeconfig (${what}-data)`,
  );
}

/** A file that a setting or a kubeconfig of the machine names. */
export async function readNamed(path: string, what: string): Promise<string> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw unusable(`the file of the ${what} cannot be read (${error.code}): ${path}`);
  });
  if (text.length > longestFile) throw unusable(`the file of the ${what} is too long: ${path}`);
  return text;
}

async function authOf(user: User, files: Files): Promise<Pick<Cluster, "auth" | "tokenFile">> {
  const { token, tokenFile, username, password } = user;
  if (tokenFile) return { tokenFile: placeOf(tokenFile, { ...files, what: "token" }) };
  if (token) return { auth: { kind: "bearer", token } };
  if (username) return { auth: { kind: "basic", username, password: password ?? "" } };
  return {};
}

export interface KubeconfigOptions extends Files {
  isOwn: boolean;
  /** The one that it names as the current one when absent. */
  context?: string | undefined;
}

/** The cluster and the user of a context. @throws ClusterUnusable */
export async function readKubeconfig(
  texts: readonly string[],
  { directory, isOwn, context: wanted }: KubeconfigOptions,
): Promise<Cluster> {
  const files = directory === undefined ? {} : { directory };
  const config = merged(texts.map(parse));
  const contexts = config.contexts ?? [];
  const current = wanted || config["current-context"];
  const context = (
    current ? contexts.find(({ name }) => name === current) : contexts.length === 1 && contexts[0]
  ) as { context: z.output<typeof contextShape> } | false | undefined;
  if (!context)
    throw unusable(
      current
        ? `the kubeconfig has no context "${current.slice(0, 100)}"${wanted ? "" : ", which it names as the current one"}`
        : "the kubeconfig has no current-context",
    );
  const { cluster: clusterName, user: userName, namespace } = context.context;
  const cluster = config.clusters?.find(({ name }) => name === clusterName)?.cluster;
  if (!cluster?.server)
    throw unusable(`the kubeconfig has no server for the cluster "${clusterName ?? ""}"`);
  const user = config.users?.find(({ name }) => name === userName)?.user ?? {};
  const refused = Object.keys(refusedOfUser).find((key) => user[key]);
  if (refused !== undefined)
    throw unusable(
      `the user "${userName}" of the kubeconfig ${refusedOfUser[refused]}: use a token or a client certificate`,
    );
  if (!/^https?:\/\//i.test(cluster.server) || !URL.canParse(cluster.server))
    throw unusable(
      `the server of the cluster "${clusterName}" is no address such as https://host:6443`,
    );
  const proxy = cluster["proxy-url"];
  if (proxy && !/^https?:\/\//i.test(proxy))
    throw unusable("the proxy-url of the kubeconfig is no address of an HTTP proxy");
  const [ca, cert, key] = await Promise.all([
    textOf(cluster["certificate-authority-data"], cluster["certificate-authority"], {
      ...files,
      what: "certificate-authority",
    }),
    textOf(user["client-certificate-data"], user["client-certificate"], {
      ...files,
      what: "client-certificate",
    }),
    textOf(user["client-key-data"], user["client-key"], { ...files, what: "client-key" }),
  ]);
  const tls: TlsOptions = {
    ...(cluster["insecure-skip-tls-verify"] && { insecureSkipVerify: true }),
    ...(cluster["tls-server-name"] && { serverName: cluster["tls-server-name"] }),
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
  };
  return {
    url: new URL(cluster.server),
    tls,
    ...(await authOf(user, files)),
    namespace: namespace || "default",
    ...(proxy && { proxy }),
    isOwn,
  };
}
