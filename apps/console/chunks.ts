import { existsSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { Plugin } from "vite";

const repository = resolve(import.meta.dirname, "../..");
const features = join(import.meta.dirname, "src/features");
/** Parts of which each page of a feature takes some: they go where they are taken, and are no room. */
const partsOfPages = "shared";

/** The files that lie directly in one of these folders. */
export function inFolders(...folders: string[]): (file: string) => boolean {
  for (const folder of folders) {
    if (!existsSync(join(repository, folder))) throw new Error(`${folder} is no folder any more.`);
  }
  return (file) => folders.includes(relative(repository, dirname(file)));
}

/**
 * A room is a folder inside a feature. Rooms that others share are a chunk each; one that is fetched when it is asked
 * for (`import()` leads into it) comes with what was asked for, and needs no name.
 */
export function rooms() {
  const entered = new Set<string>();
  const plugin: Plugin = {
    name: "rooms",
    apply: "build",
    buildStart: () => entered.clear(),
    buildEnd() {
      for (const id of this.getModuleIds())
        if (this.getModuleInfo(id)?.dynamicImporters.length) entered.add(dirname(id));
    },
    /** Chunks that need each other are run before what they need is there. */
    generateBundle(_options, bundle) {
      const done = new Set<string>();
      const visit = (name: string, way: readonly string[]) => {
        if (way.includes(name))
          this.error(
            `chunks need each other: ${[...way.slice(way.indexOf(name)), name].join(", ")}`,
          );
        const chunk = bundle[name];
        if (done.has(name) || chunk?.type !== "chunk") return;
        for (const other of chunk.imports) visit(other, [...way, name]);
        done.add(name);
      };
      for (const name of Object.keys(bundle)) visit(name, []);
    },
  };
  const roomOf = (file: string): string | null => {
    const folder = relative(features, dirname(file)).split(sep);
    const isRoom = folder.length > 1 && folder[0] !== ".." && !entered.has(dirname(file));
    return isRoom && folder.at(-1) !== partsOfPages ? folder.join("-") : null;
  };
  return { plugin, roomOf };
}
