import { layOutByDagre } from "./dagre-layout.ts";
import type { LayoutTask } from "./task.ts";

self.addEventListener("message", ({ data }: MessageEvent<LayoutTask>) =>
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin to name
  self.postMessage(layOutByDagre(data)),
);
