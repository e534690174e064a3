import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Badge } from "@mainstay/ui/Badge.tsx";
import { Button } from "@mainstay/ui/Button.tsx";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ageColumn, createdByColumn, nameColumn } from "@mainstay/ui/list-table/stock-columns.tsx";
import { ListPage } from "#lib/ListPage.tsx";
import { useAccess } from "#lib/use-access.ts";
import { FlagDialog } from "./FlagDialog.tsx";
import { type Flag, flagsQuery } from "./queries.ts";

const source = (flag: Flag) =>
  flag.source === "local" ? (
    <Badge tooltip="From the server's own file; it cannot be changed here.">local</Badge>
  ) : (
    <span className="text-muted">database</span>
  );

const columns: readonly Column<Flag>[] = [
  nameColumn(),
  {
    id: "value",
    header: "Value",
    width: 200,
    minWidth: 120,
    sortable: true,
    value: ({ value }) => value,
    renderCell: ({ value }) => <code className="truncate font-mono text-xs">{value}</code>,
  },
  {
    id: "description",
    header: "Description",
    width: 260,
    minWidth: 160,
    dropOrder: 4,
    value: ({ description }) => description,
    renderCell: ({ description }) => <span className="text-muted">{description}</span>,
  },
  {
    id: "source",
    header: "Source",
    width: 100,
    dropOrder: 3,
    sortable: true,
    value: (flag) => flag.source,
    renderCell: source,
  },
  createdByColumn({ width: 150, minWidth: 100, dropOrder: 2, sortable: true }),
  { ...ageColumn("created_at", "Created At"), dropOrder: 1 },
  { ...ageColumn("updated_at", "Updated At"), width: 120, dropOrder: 5 },
];

export function FeatureFlagsPage() {
  const [open, setOpen] = useState<Flag | "new" | null>(null);
  const mayWrite = useAccess().may("write", "feature_flags");
  const query = useQuery(flagsQuery);
  const add = () => setOpen("new");
  return (
    <ListPage
      crumbs={[{ label: "Settings" }, { label: "Feature Flags" }]}
      noun="feature flags"
      query={query}
      columns={columns}
      rowId={({ name }) => name}
      searchIn={({ name, value, description }) => `${name} ${value} ${description ?? ""}`}
      onOpen={setOpen}
      create={mayWrite ? { label: "Add feature flag", onCreate: add } : undefined}
      storageKey="feature-flags"
      renderPhoneRow={(flag) => (
        <span className="flex min-w-0 flex-col">
          <span className="flex justify-between gap-2">
            <span className="truncate font-medium">{flag.name}</span>
            {source(flag)}
          </span>
          <code className="truncate font-mono text-xs text-muted">{flag.value}</code>
        </span>
      )}
      empty={
        <EmptyState
          title="No data available"
          actions={
            mayWrite && (
              <Button kind="primary" onClick={add}>
                Add feature flag
              </Button>
            )
          }
        >
          A feature flag switches a part of the product off for everybody, or sets how it behaves.
        </EmptyState>
      }
    >
      {open && (
        <FlagDialog
          flag={open === "new" ? null : open}
          flags={query.data ?? []}
          onClose={() => setOpen(null)}
        />
      )}
    </ListPage>
  );
}
