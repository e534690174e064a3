import { useParams } from "@tanstack/react-router";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { EditorPage } from "#lib/documents/EditorPage.tsx";
import { PageBar } from "#lib/PageBar.tsx";
import { paths } from "#lib/paths.ts";

/** The kinds of documents that integrations are, by the name of their type in addresses. */
const kinds: Readonly<Record<string, string>> = {
  scrapers: "scraper",
  topologies: "topology",
  logging_backends: "logging-backend",
};

/** /settings/integrations/{type}/{id}: the document of one, and its runs. */
export function IntegrationPage() {
  const { integrationType = "", integrationId = "" } = useParams({ strict: false });
  const kind = Object.hasOwn(kinds, integrationType) ? kinds[integrationType] : undefined;
  if (kind === undefined)
    return (
      <>
        <PageBar
          crumbs={[
            { label: "Settings" },
            { label: "Integrations", to: paths.integrations() },
            { label: "Unknown type" },
          ]}
        />
        <EmptyState title="Unknown type">
          There are no integrations of the type {integrationType}.
        </EmptyState>
      </>
    );
  return (
    <EditorPage
      kind={kind}
      id={integrationId}
      to={(saved) => paths.integration(integrationType, saved)}
      within={[{ label: "Settings" }]}
      list={{ label: "Integrations", to: paths.integrations() }}
    />
  );
}
