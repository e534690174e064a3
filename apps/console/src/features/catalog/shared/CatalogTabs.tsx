import { classNames } from "@mainstay/ui/class-names.ts";
import { AppLink } from "#lib/AppLink.tsx";
import { paths } from "#lib/paths.ts";
import { type Gate, useAccess } from "#lib/use-access.ts";

type PageId = "catalog" | "changes" | "insights" | "scrapers";

/** Those that there are, in their order: Catalog, Changes, Insights, Scrapers. */
const pages: readonly (Gate & { id: PageId; label: string; to: string })[] = [
  { id: "catalog", label: "Catalog", to: paths.catalog(), feature: "config" },
  { id: "changes", label: "Changes", to: paths.catalogChanges(), feature: "config" },
  { id: "insights", label: "Insights", to: paths.catalogInsights(), feature: "config" },
  {
    id: "scrapers",
    label: "Scrapers",
    to: paths.catalogScrapers(),
    feature: "settings.config_scraper",
  },
];

/** The pages of the catalog, looking like tabs. */
export function CatalogTabs({ selected }: { selected: PageId }) {
  const access = useAccess();
  return (
    <nav
      aria-label="Catalog"
      className="flex shrink-0 gap-0.5 overflow-x-auto overflow-y-hidden border-b px-4"
    >
      {pages
        .filter((page) => access.gate(page) === "open")
        .map(({ id, label, to }) => (
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
