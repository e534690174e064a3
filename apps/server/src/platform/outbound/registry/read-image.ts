import type { ImageReference } from "@mainstay/contract";
import { asList, asObject } from "../http/read-json.ts";
import { type Manifest, type RegistryClient, RegistryRefusal } from "./registry-client.ts";

/** What a registry gives out under the name of an image. */
export interface FoundImage {
  /** Of what the name means: the list, where there is one for several platforms. */
  digest: string;
  platform?: string;
  /** Bytes as they are kept: lists, manifest, configuration and packed layers. */
  size: number;
  layers: number;
}

/** More than any engine takes of one image. */
const mostLayers = 1000;
const mostPlatforms = 1000;
const atOnce = 4;
const deepest = 3;

interface Part {
  digest: string;
  size: number;
  mediaType: string;
}

function partOf(value: unknown): Part {
  const { digest, size, mediaType } = asObject(value);
  const isWhole =
    typeof digest === "string" &&
    /^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/.test(digest) &&
    Number.isSafeInteger(size) &&
    (size as number) >= 0;
  if (!isWhole) throw new RegistryRefusal("its manifest names a part without a digest or a size");
  return {
    digest,
    size: size as number,
    mediaType: typeof mediaType === "string" ? mediaType : "",
  };
}

const platformOf = (entry: unknown): string => {
  const { os, architecture, variant } = asObject(asObject(entry).platform);
  return [os, architecture, variant].filter((text) => typeof text === "string").join("/");
};

const isAsked = (platform: string, asked: string) =>
  platform === asked || platform.startsWith(`${asked}/`);

/** The entry of a list that is for a platform. */
function chooseFrom({ content }: Manifest, platform: string): Part {
  const entries = asList(content.manifests).slice(0, mostPlatforms);
  const found = entries.find((entry) => isAsked(platformOf(entry), platform));
  if (found !== undefined) return partOf(found);
  const known = [...new Set(entries.map(platformOf))].filter(
    (text) => text && !text.startsWith("unknown"),
  );
  throw new RegistryRefusal(
    `there is no image for ${platform}, only for ${known.slice(0, 20).join(", ") || "none that is named"}`,
  );
}

/** Every part must be given out; layers that are kept elsewhere by their own word are not asked for. */
async function askForParts(parts: readonly Part[], registry: RegistryClient): Promise<void> {
  const left = parts.filter(({ mediaType }) => !/foreign|nondistributable/.test(mediaType));
  const work = async () => {
    try {
      for (let part = left.shift(); part; part = left.shift()) {
        const { size } = await registry.blob(part.digest);
        if (size !== undefined && size !== part.size)
          throw new RegistryRefusal(
            `the part ${part.digest.slice(0, 19)} has ${size} bytes, its manifest says ${part.size}`,
          );
      }
    } catch (error) {
      // Nobody waits for the rest any more.
      left.length = 0;
      throw error;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

/** Whether an image can be pulled: every part of it is asked for, and none is fetched. @throws RegistryRefusal */
export async function readImage(
  { tag, digest }: ImageReference,
  { registry, platform }: { registry: RegistryClient; platform: string },
): Promise<FoundImage> {
  const first = await registry.manifest(digest ?? tag ?? "latest");
  let manifest = first;
  let size = first.size;
  let chosen: string | undefined;
  for (let depth = 0; Array.isArray(manifest.content.manifests); depth += 1) {
    if (depth >= deepest) throw new RegistryRefusal("its lists of platforms nest too deeply");
    manifest = await registry.manifest(chooseFrom(manifest, platform).digest);
    size += manifest.size;
    chosen = platform;
  }
  const { config, layers } = manifest.content;
  if (config === undefined || !Array.isArray(layers))
    throw new RegistryRefusal(
      `what is kept under this name is no image (${manifest.mediaType || "of no type"})`,
    );
  if (layers.length > mostLayers)
    throw new RegistryRefusal(`it has ${layers.length} layers, more than ${mostLayers}`);
  const parts = [config, ...layers].map(partOf);
  await askForParts(parts, registry);
  return {
    digest: first.digest,
    ...(chosen !== undefined && { platform: chosen }),
    size: parts.reduce((sum, part) => sum + part.size, size),
    layers: layers.length,
  };
}
