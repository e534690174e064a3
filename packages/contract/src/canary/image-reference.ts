/** What an image is called, as registries keep it. */
export interface ImageReference {
  /** With its port, where one is written. */
  registry: string;
  repository: string;
  tag?: string;
  /** Wins over the tag. */
  digest?: string;
}

const longest = 1024;
const hub = "docker.io";
const hubNames = new Set([hub, "index.docker.io", "registry-1.docker.io"]);

const host = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
const part = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const tagText = /^\w[\w.-]{0,127}$/;
const digestText = /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/;

const isHost = (text: string) => /[.:]/.test(text) || text === "localhost" || text.startsWith("[");

/** Reads `[registry/]repository[:tag][@digest]`. Throws an error that says what is wrong. */
export function parseImage(written: string): ImageReference {
  const wrong = (why: string) => new Error(`"${written.slice(0, 100)}" is no image: ${why}`);
  if (written.length > longest) throw wrong(`it is longer than ${longest} characters`);
  const [named = "", digest, ...more] = written.trim().split("@");
  if (more.length > 0) throw wrong("there are two @");
  if (digest !== undefined && !digestText.test(digest))
    throw wrong("a digest is sha256: and 64 hexadecimal digits");
  const slash = named.indexOf("/");
  const first = slash < 0 ? "" : named.slice(0, slash);
  const registry = isHost(first) ? first : hub;
  const rest = isHost(first) ? named.slice(slash + 1) : named;
  const colon = rest.lastIndexOf(":");
  const isTagged = colon > rest.lastIndexOf("/");
  const path = isTagged ? rest.slice(0, colon) : rest;
  const tag = isTagged ? rest.slice(colon + 1) : undefined;
  if (!host.test(registry)) throw wrong("its registry is no host");
  if (tag !== undefined && !tagText.test(tag)) throw wrong("its tag cannot be one");
  if (path === "" || path.split("/").some((one) => !part.test(one)))
    throw wrong("a repository is lower-case names between slashes");
  const isHub = hubNames.has(registry);
  return {
    registry: isHub ? hub : registry,
    // What has no owner at Docker Hub is kept under that name.
    repository: isHub && !path.includes("/") ? `library/${path}` : path,
    ...(tag !== undefined && { tag }),
    ...(digest !== undefined && { digest }),
    ...(tag === undefined && digest === undefined && { tag: "latest" }),
  };
}
