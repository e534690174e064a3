import { ChevronDown, ChevronRight } from "lucide-react";
import { type ReactNode, useId } from "react";
import type { TopologyComponent } from "@mainstay/contract/topology-answers.ts";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { guestFailure, LazyGuest } from "#lib/places/LazyGuest.tsx";
import { useGuests } from "#lib/places/use-guests.ts";
import { DetailsPanel } from "./DetailsPanel.tsx";

interface PanelProps {
  title: string;
  badge?: ReactNode;
  isOpen: boolean;
  onToggle: () => void;
  children: ReactNode;
}

function Panel({ title, badge, isOpen, onToggle, children }: PanelProps) {
  const id = useId();
  const Mark = isOpen ? ChevronDown : ChevronRight;
  return (
    <section aria-label={title} className="border-b">
      <h2 className="m-0">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={onToggle}
          className="flex h-9 w-full items-center gap-2 border-0 bg-transparent px-4 text-left text-sm font-semibold hover:bg-hover focus-visible:outline-offset-[-2px]"
        >
          <Mark aria-hidden="true" size={14} strokeWidth={1.75} className="shrink-0 text-muted" />
          <span className="min-w-0 flex-1 truncate">{title}</span>
          {badge}
        </button>
      </h2>
      {isOpen && (
        <div id={id} className="px-4 pt-1 pb-3">
          {children}
        </div>
      )}
    </section>
  );
}

const ownPanel = "details";

export interface ComponentSidebarProps {
  component: TopologyComponent;
  /** The one panel that is open; nothing for none. */
  open: string;
  onOpen: (panel: string) => void;
}

/** What is known of a component, in panels of which one is open: its own, and those of guests. */
export function ComponentSidebar({ component, open, onOpen }: ComponentSidebarProps) {
  const guests = useGuests("component", "panels");
  const toggle = (id: string) => () => onOpen(open === id ? "" : id);
  const given = { component };
  return (
    <>
      <Panel title="Details" isOpen={open === ownPanel} onToggle={toggle(ownPanel)}>
        <DetailsPanel component={component} />
      </Panel>
      {guests.map(({ id, title, load, loadBadge }) => (
        <Panel
          key={id}
          title={title}
          isOpen={open === id}
          onToggle={toggle(id)}
          badge={
            // What keeps the badge away keeps the panel away, and that says why.
            loadBadge && <LazyGuest load={loadBadge} props={given} renderFailure={() => null} />
          }
        >
          <LazyGuest
            load={load}
            props={given}
            skeleton={<SkeletonRows rows={2} />}
            renderFailure={guestFailure(title)}
          />
        </Panel>
      ))}
    </>
  );
}
