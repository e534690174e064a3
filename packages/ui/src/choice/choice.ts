import type { ReactNode } from "react";

/** Something that can be chosen from a list. */
export interface Choice {
  value: string;
  label: string;
  /** A second, quieter text: what tells two of the same name apart. */
  detail?: string;
  icon?: ReactNode;
}

/** What a search found; `isPartial` when there is more than what came. */
export interface FoundChoices {
  choices: readonly Choice[];
  isPartial?: boolean;
}
