import { posix } from "node:path";
import { isMapping, type Mapping, type Value } from "@mainstay/scripting";
import { at, list, text } from "@mainstay/scripting/functions/kubernetes-fields.ts";
import sql from "sql-template-tag";
import { parse } from "yaml";
import type { Database } from "#platform/db/database.ts";
import { notFound } from "#platform/errors.ts";

/** Where an item comes from that Flux or Argo CD delivers. Empty texts where that is not known. */
export interface GitOpsSource {
  git: { url: string; branch: string; dir: string; file: string; link: string };
  /** The object that names the repository. */
  sourceRef: { kind: string; name: string; namespace: string };
  kustomize: { path: string; file: string };
  helm: { release: string; namespace: string; chart: string; version: string; url: string };
  application: { name: string; namespace: string };
}

/** An item with how far it is from the one that was asked for. */
interface Near {
  id: string;
  type: string;
  name: string;
  namespace: string;
  config: Value;
}

/** Owners, and what delivers what delivers it: a folder a release, a release its objects. */
const levels = 8;
const longestOrigin = 10_000;
const delivering = ["Kustomization", "HelmRelease", "Application"] as const;
const sources = [
  "GitRepository",
  "OCIRepository",
  "HelmRepository",
  "HelmChart",
  "Bucket",
] as const;
const typesOf = (kinds: readonly string[]) => kinds.map((kind) => `Kubernetes::${kind}`);

/**
 * An item is delivered by a folder, a release or an application that is tied to it, or to what it is a part of: a pod by
 * its deployment's. A namespace, a cluster and a node have sources of their own.
 */
export async function gitOpsSource(
  db: Database,
  id: string,
  signal: AbortSignal,
): Promise<GitOpsSource> {
  return db.transaction(
    async (tx) => {
      signal.throwIfAborted();
      const near = await tx.rows<Near>(sql`
        with recursive up as (
          select s.id, s.depth from (
            select ${id}::uuid as id, 0 as depth
            union all
            select p.id, p.depth from get_recursive_path(${id}::uuid) p
              join config_items i on i.id = p.id
             where i.type <> all (${typesOf(["Namespace", "Cluster", "Node"])})
          ) s
          union
          select i.id, up.depth + 1 from up
            join config_relationships r on r.related_id = up.id and r.deleted_at is null
            join config_items i on i.id = r.config_id and i.deleted_at is null and i.type = any (${typesOf(delivering)})
           where up.depth < ${levels}
        )
        select i.id, i.type, i.name, coalesce(i.tags ->> 'namespace', '') as namespace, i.config
          from (select id, min(depth) as depth from up group by id) r
          join config_items i on i.id = r.id
         where i.id = ${id}::uuid or i.type = any (${typesOf(delivering)})
         order by r.depth, lower(i.name), i.id limit 20`);
      const item = near.find((one) => one.id === id);
      if (!item) throw notFound(`there is no item ${id}`);
      const by = (kind: (typeof delivering)[number]) =>
        near.find(({ type }) => type === `Kubernetes::${kind}`);
      const parts = {
        item,
        kustomization: by("Kustomization"),
        release: by("HelmRelease"),
        application: by("Application"),
      };
      const named = [parts.kustomization, parts.release].filter((one) => one !== undefined);
      const tied = await tx.rows<Near & { of: string }>(sql`
        select t.of, i.id, i.type, i.name, coalesce(i.tags ->> 'namespace', '') as namespace, i.config
          from (select r.config_id as of, r.related_id as id from config_relationships r
                 where r.config_id = any (${named.map((one) => one.id)}::uuid[]) and r.deleted_at is null
                union
                select r.related_id, r.config_id from config_relationships r
                 where r.related_id = any (${named.map((one) => one.id)}::uuid[]) and r.deleted_at is null) t
          join config_items i on i.id = t.id
         where i.deleted_at is null and i.type = any (${typesOf(sources)}) limit 20`);
      return sourceOf(parts, (deliverer) => tied.filter((one) => one.of === deliverer?.id));
    },
    { settings: { statement_timeout: "2000" } },
  );
}

interface Parts {
  item: Near;
  kustomization: Near | undefined;
  release: Near | undefined;
  application: Near | undefined;
}

/** The objects that deliver are asked in their order: a folder of a repository, a chart of one, an application. */
function sourceOf(
  { item, kustomization, release, application }: Parts,
  tiedTo: (deliverer: Near | undefined) => readonly Near[],
): GitOpsSource {
  const ofFolder = referred(kustomization, ["spec", "sourceRef"], tiedTo(kustomization));
  const ofChart =
    referred(release, ["spec", "chart", "spec", "sourceRef"], tiedTo(release)) ??
    referred(release, ["spec", "chartRef"], tiedTo(release));
  const argo = argoSource(application);
  const isGit = (source: Near | undefined) => source?.type === "Kubernetes::GitRepository";
  const repository = ofFolder ?? (isGit(ofChart) ? ofChart : undefined);
  const folder = kustomization && (text(kustomization.config, "spec", "path") || "./");
  const dir = folder === undefined ? "" : posix.normalize(folder).replace(/\/$/, "");
  const origin = originOf(item);
  const url = repository ? text(repository.config, "spec", "url") : text(argo, "repoURL");
  const branch = repository
    ? text(repository.config, "spec", "ref", "branch") ||
      text(repository.config, "spec", "ref", "tag") ||
      text(repository.config, "spec", "ref", "name")
    : text(argo, "targetRevision");
  const base =
    repository && !ofFolder ? text(release!.config, "spec", "chart", "spec", "chart") : dir;
  const path = base || text(argo, "path");
  const file = origin === "" ? "" : posix.join(path, origin);
  const chart = argo && text(argo, "chart") !== "" ? argo : undefined;
  return {
    git: {
      url: chart && !repository ? "" : withoutCredentials(url),
      branch: chart && !repository ? "" : branch,
      dir: file ? posix.dirname(file) : path,
      file,
      link: chart && !repository ? "" : linkTo(url, branch, file || path),
    },
    sourceRef: {
      kind: (ofFolder ?? ofChart)?.type.split("::").at(-1) ?? "",
      name: (ofFolder ?? ofChart)?.name ?? "",
      namespace: (ofFolder ?? ofChart)?.namespace ?? "",
    },
    kustomize: {
      path: kustomization ? text(kustomization.config, "spec", "path") : "",
      file: folder === undefined ? "" : posix.join(folder, "kustomization.yaml"),
    },
    helm: {
      release: release?.name ?? (chart ? application!.name : ""),
      namespace:
        release?.namespace ??
        (chart ? text(application!.config, "spec", "destination", "namespace") : ""),
      chart: release
        ? text(release.config, "spec", "chart", "spec", "chart")
        : text(chart ?? null, "chart"),
      version: release
        ? text(release.config, "spec", "chart", "spec", "version")
        : text(chart ?? null, "targetRevision"),
      url: withoutCredentials(
        ofChart ? text(ofChart.config, "spec", "url") : text(chart ?? null, "repoURL"),
      ),
    },
    application: { name: application?.name ?? "", namespace: application?.namespace ?? "" },
  };
}

/** Which of the sources that something is tied to it names itself. */
function referred(
  deliverer: Near | undefined,
  keys: readonly string[],
  tied: readonly Near[],
): Near | undefined {
  if (!deliverer) return undefined;
  const reference = at(deliverer.config, ...keys);
  if (!isMapping(reference)) return undefined;
  const namespace = text(reference, "namespace") || deliverer.namespace;
  return tied.find(
    (one) =>
      one.type === `Kubernetes::${text(reference, "kind")}` &&
      one.name === text(reference, "name") &&
      one.namespace === namespace,
  );
}

/** An application has one source, or several, of which the first counts. */
function argoSource(application: Near | undefined): Mapping | null {
  if (!application) return null;
  const [first] = list(application.config, "spec", "sources");
  const source = at(application.config, "spec", "source") ?? first ?? null;
  return isMapping(source) ? source : null;
}

/** The file that kustomize says an object was made of, in the folder. */
function originOf({ config }: Near): string {
  const written = text(config, "metadata", "annotations", "config.kubernetes.io/origin");
  if (written === "" || written.length > longestOrigin) return "";
  try {
    return text(parse(written) as Value, "path");
  } catch {
    // Whoever wrote the annotation did not mean kustomize's.
    return "";
  }
}

/** A page of the folder or file, where the host of the repository is known to have one. */
function linkTo(url: string, branch: string, path: string): string {
  const [, host, repository] =
    /^(?:\w+:\/\/)?(?:[^@/]*@)?([^/:]+)(?::\d+)?[:/](.+?)(?:\.git)?\/?$/.exec(url) ?? [];
  if (!host || !repository || branch === "") return "";
  const to = [branch, path].filter(Boolean).join("/");
  if (host === "github.com") return `https://${host}/${repository}/tree/${to}`;
  return /(?:^|\.)gitlab\./.test(host) ? `https://${host}/${repository}/-/tree/${to}` : "";
}

/** The user of an address of SSH is a part of it. */
const withoutCredentials = (url: string) =>
  url.replace(/^(https?:\/\/)[^@/]*@/, "$1").replace(/^(\w+:\/\/[^@/:]+):[^@/]*@/, "$1@");
