import { useState } from "react";
import { toastDone, toastFailed } from "@mainstay/ui/toasts.ts";
import { useTestConnection } from "./mutations.ts";
import { testDone, testFailure, type TestOutcome } from "./test-outcome.ts";

interface Tested {
  id: string;
  name: string;
}

/** Tries a connection and says how that went; what is more than a sentence is left to be shown. */
export function useTest() {
  const test = useTestConnection();
  const [results, setResults] = useState<{ name: string; text: string; isJson: boolean }>();
  const tell = (name: string, outcome: TestOutcome) => {
    if (outcome.kind === "done") toastDone(outcome.text);
    else if (outcome.kind === "failed") toastFailed(outcome.text);
    else setResults({ name, text: outcome.text, isJson: outcome.isJson });
  };
  return {
    results,
    close: () => setResults(undefined),
    testing: test.isPending ? test.variables.id : undefined,
    start: ({ id, name }: Tested) => {
      if (test.isPending) return;
      test.mutate(
        { id },
        {
          onSuccess: () => tell(name, testDone),
          onError: (error) => tell(name, testFailure(error)),
        },
      );
    },
  };
}
