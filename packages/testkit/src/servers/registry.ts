import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { findProgram, removeFolder, startProgram, temporaryFolder } from "./program.ts";

export interface RegistryServer {
  /** `127.0.0.1:5000` */
  place: string;
  stop(): Promise<void>;
}

export interface RegistryOptions {
  /** Whom alone it answers; `hash` is the password as bcrypt. */
  login?: { username: string; password: string; hash: string };
  /** Where it sends for tokens, and by which certificate (PEM) they must be signed. */
  tokens?: { realm: string; service: string; issuer: string; certificate: string };
}

/** The registry of images that Docker made (Debian's `docker-registry`); undefined when it is not installed. */
export async function startRegistry(
  options: RegistryOptions = {},
): Promise<RegistryServer | undefined> {
  const program = findProgram("docker-registry");
  if (!program) return undefined;
  const folder = temporaryFolder("registry");
  const port = await freePort();
  const place = `127.0.0.1:${port}`;
  const { login, tokens } = options;
  mkdirSync(join(folder, "images"));
  if (login) writeFileSync(join(folder, "users"), `${login.username}:${login.hash}\n`);
  if (tokens) writeFileSync(join(folder, "tokens.pem"), tokens.certificate);
  const config = {
    version: 0.1,
    log: { accesslog: { disabled: true }, level: "error" },
    storage: { filesystem: { rootdirectory: join(folder, "images") } },
    http: { addr: place },
    ...((login || tokens) && {
      auth: {
        ...(login && { htpasswd: { realm: "images", path: join(folder, "users") } }),
        ...(tokens && {
          token: {
            realm: tokens.realm,
            service: tokens.service,
            issuer: tokens.issuer,
            rootcertbundle: join(folder, "tokens.pem"),
          },
        }),
      },
    }),
  };
  // What is written as JSON is YAML, too.
  writeFileSync(join(folder, "config.yml"), JSON.stringify(config));
  const running = await startProgram({
    program,
    args: ["serve", join(folder, "config.yml")],
    cwd: folder,
    isReady: () =>
      fetch(`http://${place}/v2/`).then(
        ({ status }) => status === 200 || status === 401,
        () => false,
      ),
  });
  return {
    place,
    async stop() {
      await running.stop();
      removeFolder(folder);
    },
  };
}

export const digestOf = (content: string | Buffer): string =>
  `sha256:${createHash("sha256").update(content).digest("hex")}`;

const manifestType = "application/vnd.oci.image.manifest.v1+json";
const indexType = "application/vnd.oci.image.index.v1+json";

export interface PushedImage {
  digest: string;
  /** Bytes of the manifest, the configuration and the layers. */
  size: number;
  manifest: { mediaType: string; digest: string; size: number };
}

/** Puts images where a registry keeps them, as engines do. */
export function pusherTo(place: string, authorization?: string) {
  const headers: Record<string, string> = authorization ? { authorization } : {};
  const send = async (path: string, method: string, body?: string, type?: string) => {
    const answer = await fetch(new URL(path, `http://${place}`), {
      method,
      headers: { ...headers, ...(type && { "content-type": type }) },
      ...(body !== undefined && { body }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };

  async function blob(repository: string, content: string, mediaType: string) {
    const digest = digestOf(content);
    const begun = await send(`/v2/${repository}/blobs/uploads/`, "POST");
    const to = new URL(begun.headers.get("location") ?? "", `http://${place}`);
    to.searchParams.set("digest", digest);
    await send(to.href, "PUT", content, "application/octet-stream");
    return { mediaType, digest, size: Buffer.byteLength(content) };
  }

  return {
    async image(
      repository: string,
      {
        tag,
        layers,
        os = "linux",
        architecture = "amd64",
      }: {
        tag?: string;
        layers: readonly string[];
        os?: string;
        architecture?: string;
      },
    ): Promise<PushedImage> {
      const config = await blob(
        repository,
        JSON.stringify({ os, architecture, rootfs: { type: "layers", diff_ids: [] } }),
        "application/vnd.oci.image.config.v1+json",
      );
      const parts = [];
      for (const layer of layers)
        parts.push(await blob(repository, layer, "application/vnd.oci.image.layer.v1.tar+gzip"));
      const text = JSON.stringify({
        schemaVersion: 2,
        mediaType: manifestType,
        config,
        layers: parts,
      });
      const digest = digestOf(text);
      await send(`/v2/${repository}/manifests/${tag ?? digest}`, "PUT", text, manifestType);
      const size = Buffer.byteLength(text);
      return {
        digest,
        size: parts.reduce((sum, part) => sum + part.size, size + config.size),
        manifest: { mediaType: manifestType, digest, size },
      };
    },
    async list(
      repository: string,
      tag: string,
      images: readonly { image: PushedImage; os: string; architecture: string; variant?: string }[],
    ): Promise<{ digest: string; size: number }> {
      const text = JSON.stringify({
        schemaVersion: 2,
        mediaType: indexType,
        manifests: images.map(({ image, ...platform }) => ({ ...image.manifest, platform })),
      });
      await send(`/v2/${repository}/manifests/${tag}`, "PUT", text, indexType);
      return { digest: digestOf(text), size: Buffer.byteLength(text) };
    },
  };
}
