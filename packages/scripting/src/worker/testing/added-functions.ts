import type { AddedFunction } from "../messages.ts";

/** As a program adds them to its scripts. */
export const functions: Record<string, AddedFunction> = {
  last_result: ({ last }) => last ?? null,
  "steps.get": ({ steps }, name) => (steps as Record<string, null>)[name as string] ?? null,
  /** Stands for an engine that knows no bounds of its own. */
  hang: () => {
    for (;;);
  },
  fillMemory: () => {
    const all: unknown[] = [];
    for (;;) all.push(Array.from({ length: 1000 }, () => Math.random()));
  },
  fault: () => {
    throw new TypeError("a fault of ours");
  },
};
