import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Age, exactTime } from "@mainstay/ui/Age.tsx";
import { Badge } from "@mainstay/ui/Badge.tsx";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { Dialog } from "@mainstay/ui/Dialog.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { Select } from "@mainstay/ui/Select.tsx";
import { X } from "lucide-react";
import { IconButton } from "@mainstay/ui/Button.tsx";
import { ResourceLink } from "#lib/resources/ResourceLink.tsx";
import { useResourceKind } from "#lib/resources/use-resource-kind.ts";
import { PagedPage } from "#lib/PagedList.tsx";
import { useUrlState } from "#lib/url-state.ts";
import {
  auditCodec,
  type AuditEntry,
  type AuditView,
  auditQueries,
  auditVerbs,
} from "./queries.ts";

const verbs: Record<string, string> = {
  insert: "created",
  update: "changed",
  delete: "deleted",
  dry_run: "tried out",
  run: "ran",
};

const text = (value: unknown): string =>
  value === undefined || value === null
    ? ""
    : typeof value === "string"
      ? value
      : JSON.stringify(value, undefined, 2);

/** What was empty and is empty is nothing to read. */
const toldColumns = ({ before, after }: AuditEntry): string[] =>
  [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (name) => text(before?.[name]) !== "" || text(after?.[name]) !== "",
  );

/** The columns that say something; of a role, which one it is. */
const what = (entry: AuditEntry) =>
  entry.table_name === "casbin_rule"
    ? `role ${text((entry.after ?? entry.before)?.["v1"])}`
    : toldColumns(entry).join(", ");
/** A program that acts for somebody is named with the token it used. */
const who = (entry: AuditEntry) =>
  entry.token_name ? `${entry.actor_name} (${entry.token_name})` : entry.actor_name;
const verb = (entry: AuditEntry) => (
  <Badge tone={entry.verb === "delete" ? "unhealthy" : entry.verb === "insert" ? "info" : "plain"}>
    {verbs[entry.verb] ?? entry.verb}
  </Badge>
);

/** What the change is of or about: a link where that is a resource which is still there. */
function RowName({ entry }: { entry: AuditEntry }) {
  return entry.row_name === null ? (
    <code className="truncate font-mono text-xs">{entry.row_id}</code>
  ) : (
    <ResourceLink
      kind={entry.resource_type}
      id={entry.resource_id}
      name={entry.row_name}
      isGone={entry.resource_name === null}
    />
  );
}

/** Whose history is shown, and the way back to everybody's. */
function Only({
  of,
  entry,
  onClear,
}: {
  of: AuditView;
  entry: AuditEntry | undefined;
  onClear: () => void;
}) {
  const kind = useResourceKind(of.resourceType);
  const name = entry?.resource_name ?? undefined;
  return (
    <span className="inline-flex h-7 max-w-full min-w-0 items-center gap-1.5 rounded-control border border-control bg-sunken pl-2.5 text-sm">
      <span className="shrink-0 text-muted">{kind?.label.one ?? of.resourceType}</span>
      <ResourceLink
        kind={of.resourceType}
        id={of.resourceId}
        name={name ?? of.resourceId}
        isGone={name === undefined}
      />
      <IconButton
        label="Show the changes of everything"
        icon={<X size={14} strokeWidth={1.75} />}
        onClick={onClear}
      />
    </span>
  );
}

const columns: readonly Column<AuditEntry>[] = [
  {
    id: "created_at",
    header: "When",
    width: 110,
    sortable: true,
    value: (entry) => entry.created_at,
    renderCell: (entry) => <Age at={entry.created_at} />,
  },
  {
    id: "actor_name",
    header: "Who",
    width: 180,
    sortable: true,
    value: who,
    renderCell: who,
  },
  {
    id: "verb",
    header: "Did",
    width: 90,
    value: (entry) => verbs[entry.verb] ?? entry.verb,
    renderCell: verb,
  },
  {
    id: "table_name",
    header: "Table",
    width: 160,
    sortable: true,
    value: (entry) => entry.table_name,
    renderCell: (entry) => <code className="font-mono text-xs">{entry.table_name}</code>,
  },
  {
    id: "row",
    header: "Row",
    width: 200,
    value: (entry) => entry.row_name ?? entry.row_id,
    renderCell: (entry) => <RowName entry={entry} />,
  },
  {
    id: "what",
    header: "Columns",
    value: what,
    renderCell: (entry) => <span className="truncate text-muted">{what(entry)}</span>,
  },
  {
    id: "address",
    header: "From",
    width: 130,
    value: (entry) => entry.address,
    renderCell: (entry) => entry.address ?? "–",
  },
];

function EntryDialog({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
  const names = toldColumns(entry).toSorted();
  const facts: [string, ReactNode][] = [
    ["When", exactTime(Date.parse(entry.created_at)).replace("\n", " · ")],
    ["Who", who(entry)],
    ["From", entry.address],
    ["Request", entry.request_id],
    ["Name", entry.row_name && <RowName key="name" entry={entry} />],
    ["Row", entry.row_id],
  ];
  return (
    <Dialog
      title={`${entry.table_name} ${verbs[entry.verb] ?? entry.verb}`}
      size="large"
      expandable
      onClose={onClose}
      bodyClassName="gap-4 p-4"
    >
      <dl className="m-0 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="m-0 break-all">{value ?? "–"}</dd>
          </div>
        ))}
      </dl>
      <div className="overflow-auto">
        <table className="w-full border-collapse text-sm">
          <thead>
            <tr className="text-left text-xs text-muted">
              <th className="p-1 font-medium">Column</th>
              <th className="p-1 font-medium">Before</th>
              <th className="p-1 font-medium">After</th>
            </tr>
          </thead>
          <tbody>
            {names.map((name) => (
              <tr key={name} className="border-t align-top">
                <th scope="row" className="p-1 text-left font-mono text-xs font-normal">
                  {name}
                </th>
                {[entry.before, entry.after].map((side, index) => (
                  <td key={index === 0 ? "before" : "after"} className="p-1">
                    <pre className="m-0 font-mono text-xs break-all whitespace-pre-wrap">
                      {text(side?.[name])}
                    </pre>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Dialog>
  );
}

/** Who changed and ran what, newest first. */
export function AuditPage() {
  const [view, change] = useUrlState(auditCodec);
  const [open, setOpen] = useState<AuditEntry | null>(null);
  const page = useQuery(auditQueries.page(view));
  const isOfOne = view.resourceId !== "";
  return (
    <PagedPage
      crumbs={[{ label: "Settings" }, { label: "Audit Log" }]}
      noun="audit log"
      view={view}
      change={change}
      page={page}
      loadAll={(limit) => auditQueries.all(view, limit)}
      columns={columns}
      rowId={({ id }) => id}
      onOpen={setOpen}
      storageKey="audit-log"
      search={{
        label: "Search the audit log",
        placeholder: "Search by person, table or row",
      }}
      filters={
        <>
          <Select
            label="Did"
            value={view.verb}
            options={[
              { value: "", label: "Anything" },
              ...auditVerbs.map((value) => ({ value, label: verbs[value] ?? value })),
            ]}
            onChange={(chosen) =>
              change({ verb: auditVerbs.find((verb) => verb === chosen) ?? "", pageIndex: 0 })
            }
          />
          {isOfOne && (
            <Only
              of={view}
              entry={page.data?.rows[0]}
              onClear={() => change({ resourceType: "", resourceId: "", pageIndex: 0 })}
            />
          )}
        </>
      }
      isFiltered={view.query !== "" || view.verb !== "" || isOfOne}
      renderPhoneRow={(entry) => (
        <span className="flex min-w-0 flex-col">
          <span className="flex justify-between gap-2">
            <span className="truncate font-medium">{entry.actor_name}</span>
            <span className="text-xs text-muted">
              <Age at={entry.created_at} />
            </span>
          </span>
          <span className="flex min-w-0 items-center gap-2 text-xs text-muted">
            {verb(entry)} {entry.table_name}{" "}
            <span className="truncate">{entry.row_name ?? entry.row_id}</span>
          </span>
        </span>
      )}
      empty={
        <EmptyState title="No data available">
          What people change and run is written here, with who, when and from where. Entries are
          kept for a year.
        </EmptyState>
      }
    >
      {open && <EntryDialog entry={open} onClose={() => setOpen(null)} />}
    </PagedPage>
  );
}
