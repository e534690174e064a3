import { parentPort, workerData } from "node:worker_threads";
import { ContentMistake, readYaml } from "./read-content.ts";
import type { ReadYaml } from "./read-large-yaml.ts";

/** Reads one text: JSON back, which is quick to read. */
function read(text: string): ReadYaml {
  try {
    const { values, notices } = readYaml(text);
    return { values: JSON.stringify(values), notices };
  } catch (error) {
    if (error instanceof ContentMistake) return { mistake: error.message };
    throw error;
  }
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
parentPort!.postMessage(read(workerData as string));
