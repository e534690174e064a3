import type { CelValue } from "./cel-values.ts";
import type { Meter } from "./meter.ts";

/** One evaluation: what its names mean, and what it may still do. */
export interface Run {
  meter: Meter;
  /** Values of names that macros bring, by the place that the compiler gave each. */
  slots: CelValue[];
  /** What a name of the context means; undefined where it has none. */
  variable(name: string): CelValue | undefined;
}

export type Evaluate = (run: Run) => CelValue;
