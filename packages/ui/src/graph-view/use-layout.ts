import { useEffect, useMemo, useRef, useState } from "react";
import type { ShownGraph } from "./graph.ts";
import { createLayouter, type Layouter } from "./layout/layouter.ts";
import { layOutPlainly } from "./layout/plain-layout.ts";
import { type LayoutOptions, type PlacedGraph, planLayout } from "./layout/plan-layout.ts";
import type { LayoutTask, Positions } from "./layout/task.ts";

type Plan = ReturnType<typeof planLayout>;

export interface Layout {
  /** The last one that is ready: it stays until the next is. */
  placed: PlacedGraph | undefined;
  /** Where everything stands: another one only when something stands elsewhere. */
  positions: Positions | undefined;
  /** How many boxes are being laid out now; nothing while none are. */
  busyWith: number | undefined;
  /** It was not waited for, or could not be had: what is shown is the plain one. */
  isPlain: boolean;
  error: Error | undefined;
  /** Takes the plain layout now. */
  cancel: () => void;
}

interface Done {
  plan: Plan;
  positions: Positions;
  placed: PlacedGraph;
  isPlain: boolean;
  error?: Error;
}

function plainly(plan: Plan): Done {
  const positions = layOutPlainly(plan.task);
  return { plan, positions, placed: plan.place(positions), isPlain: true };
}

const isSameTask = (one: LayoutTask, other: LayoutTask): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** What only says something else stands where it stood. */
function repainted(done: Done | undefined, plan: Plan): Done | undefined {
  if (!done || done.plan === plan || !isSameTask(done.plan.task, plan.task)) return done;
  return { ...done, plan, placed: plan.place(done.positions, done.placed.routes) };
}

/** Lays out a graph in another thread, and again when it changes: what is under way then is ended. */
export function useLayout(shown: ShownGraph, options: LayoutOptions): Layout {
  const { direction, rankSeparation, nodeSeparation } = options;
  const plan = useMemo(
    () => planLayout(shown, { direction, rankSeparation, nodeSeparation }),
    [shown, direction, rankSeparation, nodeSeparation],
  );
  const [last, setDone] = useState<Done>();
  const done = useMemo(() => repainted(last, plan), [last, plan]);
  const isBusy = done?.plan !== plan;
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
    if (!isBusy) return undefined;
    const controller = new AbortController();
    running.current = controller;
    layouter.current ??= createLayouter();
    layouter.current.layOut(plan.task, controller.signal).then(
      (positions) => setDone({ plan, positions, placed: plan.place(positions), isPlain: false }),
      (error: unknown) => {
        if (controller.signal.aborted) return;
        setDone({
          ...plainly(plan),
          error: error instanceof Error ? error : new Error(String(error)),
        });
      },
    );
    return () => controller.abort();
  }, [plan, isBusy]);

  return {
    placed: done?.placed,
    positions: done?.positions,
    busyWith: isBusy ? plan.task.boxes.length : undefined,
    isPlain: !isBusy && done.isPlain,
    error: isBusy ? undefined : done.error,
    cancel: () => {
      running.current?.abort();
      setDone(plainly(plan));
    },
  };
}
