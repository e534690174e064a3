import { useEffect, useMemo, useRef, useState } from "react";
import type { ShownGraph } from "./graph.ts";
import { createLayouter, type Layouter } from "./layout/layouter.ts";
import { layOutPlainly } from "./layout/plain-layout.ts";
import { type LayoutOptions, type PlacedGraph, planLayout } from "./layout/plan-layout.ts";

type Plan = ReturnType<typeof planLayout>;

export interface Layout {
  /** The last one that is ready: it stays until the next is. */
  placed: PlacedGraph | undefined;
  /** How many boxes are being laid out now; nothing while none are. */
  busyWith: number | undefined;
  /** It was not waited for, or could not be had: what is shown is the plain one. */
  isPlain: boolean;
  error: Error | undefined;
  /** Takes the plain layout now. */
  cancel: () => void;
}

/** Lays out a graph in another thread, and again when it changes: what is under way then is ended. */
export function useLayout(shown: ShownGraph, options: LayoutOptions): Layout {
  const { direction, rankSeparation, nodeSeparation } = options;
  const plan = useMemo(
    () => planLayout(shown, { direction, rankSeparation, nodeSeparation }),
    [shown, direction, rankSeparation, nodeSeparation],
  );
  const [done, setDone] = useState<{
    plan: Plan;
    placed: PlacedGraph;
    isPlain: boolean;
    error?: Error;
  }>();
  const layouter = useRef<Layouter>(null);
  const running = useRef<AbortController>(null);

  useEffect(
    () => () => {
      layouter.current?.close();
      layouter.current = null;
    },
    [],
  );
  useEffect(() => {
    const controller = new AbortController();
    running.current = controller;
    layouter.current ??= createLayouter();
    layouter.current.layOut(plan.task, controller.signal).then(
      (positions) => setDone({ plan, placed: plan.place(positions), isPlain: false }),
      (error: unknown) => {
        if (controller.signal.aborted) return;
        setDone({
          plan,
          placed: plan.place(layOutPlainly(plan.task)),
          isPlain: true,
          error: error instanceof Error ? error : new Error(String(error)),
        });
      },
    );
    return () => controller.abort();
  }, [plan]);

  const isBusy = done?.plan !== plan;
  return {
    placed: done?.placed,
    busyWith: isBusy ? plan.task.boxes.length : undefined,
    isPlain: !isBusy && done.isPlain,
    error: isBusy ? undefined : done.error,
    cancel: () => {
      running.current?.abort();
      setDone({ plan, placed: plan.place(layOutPlainly(plan.task)), isPlain: true });
    },
  };
}
