import { classNames } from "@mainstay/ui/class-names.ts";
import { AppLink } from "#lib/AppLink.tsx";
import { paths } from "#lib/paths.ts";

const pages = [
  { id: "queue", label: "Queue", to: paths.eventQueue() },
  { id: "deliveries", label: "Deliveries", to: paths.eventDeliveries() },
] as const;

/** The queue by its events, and each delivery of one to its handler: two pages, looking like tabs. */
export function EventTabs({ selected }: { selected: (typeof pages)[number]["id"] }) {
  return (
    <nav aria-label="Event queue" className="flex shrink-0 gap-0.5 border-b px-4">
      {pages.map(({ id, label, to }) => (
        <AppLink
          key={id}
          to={to}
          aria-current={id === selected ? "page" : undefined}
          className={classNames(
            "-mb-px flex h-8 shrink-0 items-center border-b-2 px-2.5 text-sm focus-visible:outline-offset-[-2px]",
            id === selected
              ? "border-accent font-medium text-text"
              : "border-transparent text-muted hover:text-text",
          )}
        >
          {label}
        </AppLink>
      ))}
    </nav>
  );
}
