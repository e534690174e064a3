import { DiffView } from "@mainstay/ui/diff-view/DiffView.tsx";

interface DriftProps {
  source: string;
  /** What the source applied last. */
  applied: string;
  /** What the document is now. */
  text: string;
}

/** Says that a document is no longer what its source applied, and what somebody has changed of it. */
export function Drift({ source, applied, text }: DriftProps) {
  return (
    <section
      aria-label="Drift"
      className="flex flex-col gap-2 rounded-control border border-warning-border bg-warning-bg px-3 py-2"
    >
      <p className="m-0 text-sm break-words text-warning-fg">
        This document has drifted: it was changed here after {source} applied it. When {source} is
        applied again, that change is undone.
      </p>
      <details>
        <summary className="cursor-pointer text-sm">What was changed</summary>
        <div className="pt-2">
          <DiffView
            label="Changed since"
            language="yaml"
            before={applied}
            after={text}
            beforeLabel="Applied"
            afterLabel="Now"
          />
        </div>
      </details>
    </section>
  );
}
