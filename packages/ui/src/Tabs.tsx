import type { KeyboardEvent, ReactNode } from "react";
import { useEffect, useRef } from "react";
import { classNames } from "./class-names.ts";

export interface Tab {
  id: string;
  label: string;
  /** Shown beside the label, e.g. a count. */
  badge?: ReactNode;
}

export interface TabsProps {
  label: string;
  tabs: readonly Tab[];
  selected: string;
  onSelect: (id: string) => void;
  /** The id of the element that shows the selected tab's content. */
  panelId: string;
}

/** A row of tabs: one stop for Tab, arrows, Home and End move and select. */
export function Tabs({ label, tabs, selected, onSelect, panelId }: TabsProps) {
  const list = useRef<HTMLDivElement>(null);
  // Where none is selected the keyboard still needs a way in.
  const reachable = tabs.some((tab) => tab.id === selected) ? selected : tabs[0]?.id;

  useEffect(() => {
    const row = list.current;
    const tab = row?.querySelector<HTMLElement>("[aria-selected=true]");
    if (!row || !tab) return;
    // Only the row is scrolled, never the page around it.
    const start = tab.offsetLeft - row.offsetLeft;
    const end = start + tab.offsetWidth;
    if (start < row.scrollLeft) row.scrollLeft = start;
    else if (end > row.scrollLeft + row.clientWidth) row.scrollLeft = end - row.clientWidth;
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the selected tab is found by what is drawn for it
  }, [selected]);

  const onKeyDown = (event: KeyboardEvent) => {
    const at = tabs.findIndex((tab) => tab.id === reachable);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    const index = (to + tabs.length) % tabs.length;
    const tab = tabs[index];
    if (!tab) return;
    event.preventDefault();
    event.stopPropagation();
    onSelect(tab.id);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[index]?.focus();
  };

  return (
    <div
      ref={list}
      role="tablist"
      aria-label={label}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className="fades-sideways flex min-w-0 shrink-0 gap-0.5 overflow-x-auto overflow-y-hidden border-b px-4"
    >
      {tabs.map((tab) => (
        <button
          key={tab.id}
          type="button"
          role="tab"
          aria-selected={tab.id === selected}
          aria-controls={panelId}
          tabIndex={tab.id === reachable ? 0 : -1}
          onClick={() => onSelect(tab.id)}
          className={classNames(
            "-mb-px flex h-8 shrink-0 items-center gap-1.5 border-b-2 px-2.5 text-sm whitespace-nowrap focus-visible:outline-offset-[-2px]",
            tab.id === selected
              ? "border-accent font-medium text-text"
              : "border-transparent text-muted hover:text-text",
          )}
        >
          {tab.label}
          {tab.badge}
        </button>
      ))}
    </div>
  );
}
