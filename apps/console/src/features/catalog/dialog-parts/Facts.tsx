import type { ReactNode } from "react";

export interface FactsProps {
  /** Those without a value are left out. */
  facts: Readonly<Record<string, ReactNode>>;
}

/** What is known of one thing, as pairs of words. */
export function Facts({ facts }: FactsProps) {
  return (
    <dl className="m-0 grid grid-cols-[repeat(auto-fill,minmax(min(100%,240px),1fr))] gap-x-6 gap-y-1.5 text-sm">
      {Object.entries(facts)
        .filter(
          ([, value]) => value !== null && value !== undefined && value !== false && value !== "",
        )
        .map(([label, value]) => (
          <div key={label} className="flex min-h-5 min-w-0 items-center gap-2">
            <dt className="w-24 shrink-0 text-xs text-muted">{label}</dt>
            <dd className="m-0 min-w-0 truncate">{value}</dd>
          </div>
        ))}
    </dl>
  );
}
