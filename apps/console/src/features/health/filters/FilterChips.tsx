import { X } from "lucide-react";
import { Button } from "@mainstay/ui/Button.tsx";
import { classNames } from "@mainstay/ui/class-names.ts";
import { withTriState } from "@mainstay/ui/filters/tri-state-filter.ts";
import type { ChangeUrl } from "#lib/url-state.ts";
import { type HealthView, unfiltered } from "../view/health-view.ts";
import { splitLabelId, withLabelFilter } from "../view/label-filters.ts";

interface Chip {
  id: string;
  name: string;
  value: string;
  isExcluded: boolean;
  without: Partial<HealthView>;
}

/** Every filter that is active, as it can be taken away. */
export function activeFilters(view: HealthView): Chip[] {
  const { query, status, severity, labels } = view;
  return [
    ...(query === ""
      ? []
      : [{ id: "query", name: "search", value: query, isExcluded: false, without: { query: "" } }]),
    ...(status === undefined
      ? []
      : [
          {
            id: "status",
            name: "status",
            value: status,
            isExcluded: false,
            without: { status: undefined },
          },
        ]),
    ...Array.from(severity, ([word, state]) => ({
      id: `severity:${word}`,
      name: "severity",
      value: word,
      isExcluded: state === -1,
      without: { severity: withTriState(severity, word, 0) },
    })),
    ...Object.entries(labels).map(([id, state]) => {
      const { key, value } = splitLabelId(id);
      return {
        id: `label:${id}`,
        name: key,
        value: value === "" ? "(empty)" : value,
        isExcluded: state === -1,
        without: { labels: withLabelFilter(labels, id, 0) },
      };
    }),
  ];
}

const listed = 40;

/** The keyboard goes on where it was. */
const focusNext = ({ nextElementSibling: next }: Element) =>
  next instanceof HTMLElement && next.focus();

export interface FilterChipsProps {
  view: HealthView;
  change: ChangeUrl<HealthView>;
}

/** The active filters: each is taken away by a press, or with Backspace. */
export function FilterChips({ view, change }: FilterChipsProps) {
  const chips = activeFilters(view);
  if (chips.length === 0) return null;
  return (
    <fieldset
      aria-label="Active filters"
      className="flex shrink-0 flex-wrap items-center gap-1.5 border-b px-4 py-1.5"
    >
      {chips.slice(0, listed).map(({ id, name, value, isExcluded, without }) => {
        const words = `${name}: ${isExcluded ? "!" : ""}${value}`;
        return (
          <button
            key={id}
            type="button"
            aria-label={`Remove filter ${words}`}
            onClick={(event) => {
              focusNext(event.currentTarget);
              change(without);
            }}
            onKeyDown={(event) => {
              if (event.key !== "Backspace" && event.key !== "Delete") return;
              focusNext(event.currentTarget);
              change(without);
            }}
            className="flex h-6 max-w-72 min-w-0 items-center gap-1 rounded-control border bg-raised pr-1 pl-2 text-xs hover:bg-hover"
          >
            <span className="shrink-0 text-muted">{name}:</span>
            <span className={classNames("truncate", isExcluded && "line-through")}>
              {isExcluded && "!"}
              {value}
            </span>
            <X aria-hidden="true" size={12} strokeWidth={2} className="shrink-0 text-muted" />
          </button>
        );
      })}
      {chips.length > listed && (
        <span className="text-xs text-muted">and {chips.length - listed} more</span>
      )}
      <Button kind="quiet" className="h-6! text-xs!" onClick={() => change(unfiltered)}>
        Clear all
      </Button>
    </fieldset>
  );
}
