import { Ban, CircleCheck, CircleX, Minus } from "lucide-react";
import { classNames } from "@mainstay/ui/class-names.ts";
import type { BulkResult } from "./run-bulk.ts";

export interface BulkItem {
  id: string;
  name: string;
  about: string | undefined;
}

const looks = {
  done: { Mark: CircleCheck, tone: "text-healthy" },
  unchanged: { Mark: Minus, tone: "text-muted" },
  failed: { Mark: CircleX, tone: "text-unhealthy" },
  refused: { Mark: Ban, tone: "text-warning-fg" },
} as const;

/** How far it is, and what became of each. */
export function BulkResults({
  items,
  results,
  isBusy,
  done,
}: {
  items: readonly BulkItem[];
  results: ReadonlyMap<string, BulkResult>;
  isBusy: boolean;
  /** What is said of what was done. */
  done: string;
}) {
  const count = (outcome: BulkResult["outcome"]) =>
    [...results.values()].filter((result) => result.outcome === outcome).length;
  const said = [
    `${results.size} of ${items.length}`,
    ...(["done", "unchanged", "failed", "refused"] as const).flatMap((outcome) =>
      count(outcome) > 0 ? [`${count(outcome)} ${outcome === "done" ? done : outcome}`] : [],
    ),
    ...(!isBusy && results.size < items.length ? ["stopped"] : []),
  ].join(", ");
  return (
    <div className="flex flex-col gap-2 text-sm">
      <p role="status" className="m-0 tabular-nums">
        {said}
      </p>
      <span
        role="progressbar"
        aria-label="Progress"
        aria-valuenow={results.size}
        aria-valuemin={0}
        aria-valuemax={items.length}
        className="flex h-1.5 shrink-0 overflow-hidden rounded-bar bg-hover"
      >
        <span
          className="bg-accent"
          style={{ width: `${(results.size / Math.max(1, items.length)) * 100}%` }}
        />
      </span>
      <ul aria-label="Results" className="m-0 flex list-none flex-col p-0">
        {items.map(({ id, name, about }) => {
          const result = results.get(id);
          const { Mark, tone } = looks[result?.outcome ?? "unchanged"];
          return (
            <li key={id} className="flex items-start gap-2 border-b py-1 last:border-b-0">
              {result ? (
                <Mark
                  aria-hidden="true"
                  size={14}
                  strokeWidth={1.75}
                  className={classNames("mt-0.5 shrink-0", tone)}
                />
              ) : (
                <span className="size-3.5 shrink-0" />
              )}
              <span className="max-w-[45%] shrink-0 truncate">{name}</span>
              <span className="max-w-[20%] shrink-0 truncate text-muted">{about}</span>
              <span className="min-w-0 flex-1 text-right break-words text-muted">
                {result?.words ?? (isBusy ? "Waiting" : "Not done")}
              </span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
