import { useParams } from "@tanstack/react-router";
import { EditorPage } from "#lib/documents/EditorPage.tsx";
import { paths } from "#lib/paths.ts";
import { scraperKind } from "../scraper-kind.ts";
import { LastFailure } from "./LastFailure.tsx";
import { RunScraper } from "./RunScraper.tsx";

/** /catalog/scrapers/{id}: the document that items come from, and its runs. */
export function ScraperPage() {
  const { scraperId = "" } = useParams({ strict: false });
  return (
    <EditorPage
      kind={scraperKind.name}
      id={scraperId}
      to={(saved) => paths.catalogScraper(saved)}
      within={[{ label: "Catalog", to: paths.catalog() }]}
      list={{ label: "Scrapers", to: paths.catalogScrapers() }}
      renderAbove={(id) => <LastFailure id={id} />}
      renderActions={({ id, document }) => (
        <RunScraper key={id} id={id} name={document.metadata.name} />
      )}
    />
  );
}
