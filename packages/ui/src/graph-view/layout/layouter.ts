import type { ELK } from "elkjs/lib/elk-api.js";
import { fromElkGraph, toElkGraph } from "./elk-graph.ts";
import type { LayoutTask, Positions } from "./task.ts";

/** So many boxes or fewer are laid out by the small library. */
const dagreAtMost = 300;

export interface Layouter {
  /** In another thread; a signal ends it in the middle. One at a time. */
  layOut: (task: LayoutTask, signal: AbortSignal) => Promise<Positions>;
  close: () => void;
}

/** Lays out graphs in workers, which are started when they are needed and kept until it is closed. */
export function createLayouter(): Layouter {
  let dagre: Worker | undefined;
  let elk: { worker: Worker; api: ELK } | undefined;

  const byDagre = (task: LayoutTask, signal: AbortSignal) => {
    dagre ??= new Worker(new URL("./dagre-worker.ts", import.meta.url), { type: "module" });
    const worker = dagre;
    return new Promise<Positions>((resolve, reject) => {
      failWith(worker, reject, signal);
      worker.addEventListener("message", ({ data }: MessageEvent<Positions>) => resolve(data), {
        once: true,
        signal,
      });
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin to name
      worker.postMessage(task);
    });
  };
  const byElk = async (task: LayoutTask, signal: AbortSignal) => {
    const { default: Elk } = await import("elkjs/lib/elk-api.js");
    signal.throwIfAborted();
    if (!elk) {
      const worker = new Worker(new URL("./elk-worker.ts", import.meta.url), { type: "module" });
      elk = { worker, api: new Elk({ workerFactory: () => worker, algorithms: ["layered"] }) };
    }
    const { worker, api } = elk;
    return new Promise<Positions>((resolve, reject) => {
      failWith(worker, reject, signal);
      api.layout(toElkGraph(task)).then((laid) => resolve(fromElkGraph(laid)), reject);
    });
  };
  const close = () => {
    dagre?.terminate();
    elk?.worker.terminate();
    dagre = undefined;
    elk = undefined;
  };

  return {
    close,
    async layOut(task, signal) {
      signal.throwIfAborted();
      const ended = new AbortController();
      const lay = task.boxes.length <= dagreAtMost ? byDagre : byElk;
      try {
        return await Promise.race([
          lay(task, ended.signal),
          new Promise<never>((_, reject) =>
            signal.addEventListener("abort", () => reject(signal.reason as Error), {
              signal: ended.signal,
            }),
          ),
        ]);
      } catch (error) {
        // Whatever a worker was in the middle of, the next one knows nothing of it.
        close();
        throw error;
      } finally {
        ended.abort();
      }
    },
  };
}

function failWith(worker: Worker, reject: (error: Error) => void, signal: AbortSignal) {
  worker.addEventListener(
    "error",
    ({ message }) => reject(new Error(message || "the layout could not be started in a worker")),
    { signal },
  );
}
