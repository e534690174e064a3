import type { Column } from "@mainstay/ui/data-table/column.ts";
import type { ListedResource } from "#lib/resources/queries.ts";

export interface ListedIntegration extends ListedResource {
  integration_type: string;
}

const labels: Readonly<Record<string, string>> = {
  scrapers: "Catalog scraper",
  topologies: "Topology",
  logging_backends: "Log backend",
};

/** What only integrations have. */
export const integrationColumns: readonly Column<ListedIntegration>[] = [
  {
    id: "integration_type",
    header: "Type",
    width: 130,
    minWidth: 100,
    value: ({ integration_type: type }) => labels[type] ?? type,
    renderCell: ({ integration_type: type }) => (
      <span className="truncate">{labels[type] ?? type}</span>
    ),
  },
];
