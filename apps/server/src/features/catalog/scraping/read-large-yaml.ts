import { Worker } from "node:worker_threads";
import type { Json } from "../changes/json-patch.ts";
import { ContentMistake, type Contents, isYaml, readContent, refuseLong } from "./read-content.ts";

/** What the thread says: the values as JSON, or what is wrong with the text. */
export type ReadYaml = { values: string; notices: string[] } | { mistake: string };

/** Characters that are read at once; nothing else has its turn meanwhile. */
const mostAtOnce = 65_536;
/** Enough for 5 MB of small values, and for more of large ones; `--max-old-space-size` is the limit of threads as well. */
const usual = { memoryMb: 768, longestMs: 120_000 };

/** As `readContent`, but long YAML is read in a thread of its own, with bounds. @throws ContentMistake */
export async function readAnyContent(
  content: Json,
  format: string | undefined,
  limits = usual,
): Promise<Contents> {
  if (typeof content !== "string" || !isYaml(format) || content.length <= mostAtOnce)
    return readContent(content, format);
  refuseLong(content);
  const read = await readInThread(content, limits);
  if ("mistake" in read) throw new ContentMistake(read.mistake);
  return { values: JSON.parse(read.values) as Json[], notices: read.notices };
}

async function readInThread(
  text: string,
  { memoryMb, longestMs }: typeof usual,
): Promise<ReadYaml> {
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
  try {
    return await new Promise<ReadYaml>((fulfil, reject) => {
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
    await worker.terminate();
  }
}
