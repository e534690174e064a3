import { Worker } from "node:worker_threads";
import type { Json } from "../changes/json-patch.ts";
import { ContentMistake, type Contents, isYaml, readContent, refuseLong } from "./read-content.ts";

/** What the thread says: the values as JSON, or what is wrong with the text. */
export type ReadYaml = { values: string; notices: string[] } | { mistake: string };

/** Characters that are read at once; nothing else has its turn meanwhile. */
const mostAtOnce = 65_536;
/** Enough for 5 MB of small values, and for more of large ones; `--max-old-space-size` is the limit of threads as well. */
const usual: Limits = { memoryMb: 768, longestMs: 120_000 };

interface Limits {
  memoryMb: number;
  longestMs: number;
  /** Ends the thread, and is what it is rejected with. */
  signal?: AbortSignal | undefined;
}

/** As `readContent`, but long YAML is read in a thread of its own, with bounds. @throws ContentMistake */
export async function readAnyContent(
  content: Json,
  format: string | undefined,
  limits: Partial<Limits> = {},
): Promise<Contents> {
  if (typeof content !== "string" || !isYaml(format) || content.length <= mostAtOnce)
    return readContent(content, format);
  refuseLong(content);
  const read = await readInThread(content, { ...usual, ...limits });
  if ("mistake" in read) throw new ContentMistake(read.mistake);
  return { values: JSON.parse(read.values) as Json[], notices: read.notices };
}

async function readInThread(
  text: string,
  { memoryMb, longestMs, signal }: Limits,
): Promise<ReadYaml> {
  signal?.throwIfAborted();
  // The same file, as it is in the repository or as a release has it.
  const file = `./yaml-thread.${import.meta.url.split(".").at(-1)}`;
  const worker = new Worker(new URL(file, import.meta.url), {
    name: "yaml",
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 32 },
    env: {},
    execArgv: [],
    workerData: text,
  });
  const tooLarge = (what: string) =>
    new ContentMistake(`It is YAML of ${text.length} characters, and reading it takes ${what}.`);
  let timer: NodeJS.Timeout | undefined;
  let stop: (() => void) | undefined;
  try {
    return await new Promise<ReadYaml>((fulfil, reject) => {
      stop = () => reject(signal!.reason as Error);
      signal?.addEventListener("abort", stop, { once: true });
      worker.once("message", fulfil);
      worker.once("error", (error: NodeJS.ErrnoException) =>
        reject(
          error.code === "ERR_WORKER_OUT_OF_MEMORY"
            ? tooLarge("more memory than there is for it")
            : error,
        ),
      );
      worker.once("exit", () => reject(new Error("The thread that reads YAML ended.")));
      timer = setTimeout(
        () => reject(tooLarge(`longer than ${longestMs / 1000} seconds`)),
        longestMs,
      );
    });
  } finally {
    clearTimeout(timer);
    if (stop) signal?.removeEventListener("abort", stop);
    await worker.terminate();
  }
}
