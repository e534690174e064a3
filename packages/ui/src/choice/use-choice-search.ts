import { useEffect, useEffectEvent, useState } from "react";
import type { FoundChoices } from "./choice.ts";

/** Document 1, section 9. */
export const resourceSearchMs = 300;

export type ChoiceSearch = (text: string, signal: AbortSignal) => Promise<FoundChoices>;

export type SearchState =
  | { kind: "searching" }
  | { kind: "found"; found: FoundChoices }
  | { kind: "failed"; message: string };

interface Outcome {
  text: string;
  attempt: number;
  state: SearchState;
}

/**
 * What is found for a text, asked for once it has rested; an answer that is no longer wanted is dropped and its request
 * ended. Nothing is asked while `isWanted` is false.
 */
export function useChoiceSearch(
  search: ChoiceSearch,
  text: string,
  isWanted: boolean,
): { state: SearchState; retry: () => void } {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [attempt, setAttempt] = useState(0);
  const ask = useEffectEvent(search);
  const wanted = text.trim();

  useEffect(() => {
    if (!isWanted) return;
    const controller = new AbortController();
    const { signal } = controller;
    const tell = (state: SearchState) => {
      if (!signal.aborted) setOutcome({ text: wanted, attempt, state });
    };
    const timer = setTimeout(
      () =>
        void ask(wanted, signal).then(
          (found) => tell({ kind: "found", found }),
          (error: unknown) =>
            tell({
              kind: "failed",
              message: error instanceof Error ? error.message : String(error),
            }),
        ),
      // The first list, for no text yet, is wanted at once.
      wanted === "" ? 0 : resourceSearchMs,
    );
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [wanted, isWanted, attempt]);

  const isCurrent = outcome?.text === wanted && outcome.attempt === attempt;
  return {
    state: isCurrent ? outcome.state : { kind: "searching" },
    retry: () => setAttempt((count) => count + 1),
  };
}
