import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";
import { classNames } from "../class-names.ts";

export interface TypeGridItem {
  value: string;
  label: string;
  /** What it is for, in one line; it is searched too. */
  help: string;
  icon: ReactNode;
}

export interface TypeGridProps {
  /** What is picked: `connection type`. */
  noun: string;
  groups: readonly { label: string; items: readonly TypeGridItem[] }[];
  onChoose: (value: string) => void;
  /** What each is for stands on it, and not only in its tooltip. */
  isTold?: boolean;
}

const matches = (item: TypeGridItem, words: readonly string[]) => {
  const text = `${item.label} ${item.value} ${item.help}`.toLowerCase();
  return words.every((word) => text.includes(word));
};

/** The tile that an arrow key leads to: beside it, or the nearest in the row above or below. */
function neighbour(tiles: readonly HTMLElement[], from: number, key: string): HTMLElement | null {
  const at = tiles[from];
  if (!at) return null;
  if (key === "ArrowRight") return tiles[from + 1] ?? null;
  if (key === "ArrowLeft") return tiles[from - 1] ?? null;
  if (key === "Home") return tiles[0] ?? null;
  if (key === "End") return tiles.at(-1) ?? null;
  const box = at.getBoundingClientRect();
  const rows = tiles
    .map((tile) => ({ tile, place: tile.getBoundingClientRect() }))
    .filter(({ place }) =>
      key === "ArrowDown" ? place.top >= box.bottom - 1 : place.bottom <= box.top + 1,
    );
  const row = key === "ArrowDown" ? rows[0]?.place.top : rows.at(-1)?.place.top;
  return (
    rows
      .filter(({ place }) => Math.abs(place.top - (row ?? 0)) < 2)
      .toSorted(
        (one, other) => Math.abs(one.place.left - box.left) - Math.abs(other.place.left - box.left),
      )[0]?.tile ?? null
  );
}

/** Many types to pick one of: searched by typing, walked with the arrows, picked with Enter. */
export function TypeGrid({ noun, groups, onChoose, isTold = false }: TypeGridProps) {
  const id = useId();
  const [text, setText] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const grid = useRef<HTMLDivElement>(null);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = groups
    .map(({ label, items }) => ({ label, items: items.filter((item) => matches(item, words)) }))
    .filter(({ items }) => items.length > 0);
  const count = shown.reduce((sum, { items }) => sum + items.length, 0);
  const tiles = () => [...(grid.current?.querySelectorAll<HTMLElement>("button") ?? [])];

  const onKeyInField = (event: KeyboardEvent) => {
    const first = tiles()[0];
    if (event.key === "ArrowDown") first?.focus();
    else if (event.key === "Enter") first?.click();
    else return;
    event.preventDefault();
  };
  const onKeyInGrid = (event: KeyboardEvent) => {
    if (!/^(Arrow|Home$|End$)/.test(event.key)) return;
    event.preventDefault();
    const all = tiles();
    const next = neighbour(all, all.indexOf(document.activeElement as HTMLElement), event.key);
    if (next) next.focus();
    else if (event.key === "ArrowUp") field.current?.focus();
  };

  return (
    <div className="flex min-h-0 flex-col gap-3">
      <input
        ref={field}
        type="search"
        aria-label={`Search ${noun}s`}
        placeholder="Search"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyInField}
        className="field w-full shrink-0"
      />
      <p role="status" className="sr-only">
        {words.length > 0 && `${count} ${count === 1 ? noun : `${noun}s`} found`}
      </p>
      <div ref={grid} role="presentation" onKeyDown={onKeyInGrid} className="flex flex-col gap-4">
        {shown.map(({ label, items }) => (
          <section key={label} aria-label={label} className="flex flex-col gap-1.5">
            <h3 className="m-0 text-xs font-semibold text-muted">{label}</h3>
            <ul
              className={classNames(
                "m-0 grid list-none gap-1.5 p-0",
                isTold
                  ? "grid-cols-[repeat(auto-fill,minmax(min(100%,240px),1fr))]"
                  : "grid-cols-[repeat(auto-fill,minmax(150px,1fr))]",
              )}
            >
              {items.map((item) => (
                <li
                  key={item.value}
                  className={
                    isTold
                      ? "relative flex min-h-12 min-w-0 flex-col justify-center rounded-control border bg-raised px-2.5 py-1.5 hover:border-control hover:bg-hover"
                      : "flex min-w-0"
                  }
                >
                  <button
                    type="button"
                    data-tooltip={isTold ? undefined : item.help}
                    aria-describedby={`${id}-${item.value}`}
                    onClick={() => onChoose(item.value)}
                    className={
                      isTold
                        ? // It can be pressed wherever the tile is.
                          "flex min-w-0 items-center gap-2 border-0 bg-transparent p-0 text-left text-sm after:absolute after:inset-0"
                        : "flex h-9 min-w-0 flex-1 items-center gap-2 rounded-control border bg-raised px-2.5 text-left text-sm hover:border-control hover:bg-hover"
                    }
                  >
                    {item.icon}
                    <span className="min-w-0 truncate">{item.label}</span>
                  </button>
                  <span
                    id={`${id}-${item.value}`}
                    hidden={!isTold}
                    className="pl-6 text-2xs text-pretty text-muted"
                  >
                    {item.help}
                  </span>
                </li>
              ))}
            </ul>
          </section>
        ))}
        {count === 0 && (
          <p className="m-0 py-6 text-center text-sm text-muted">
            Nothing matches what is searched for.
          </p>
        )}
      </div>
    </div>
  );
}
