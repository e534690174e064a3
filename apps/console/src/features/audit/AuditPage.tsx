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
import { describeAct } from "./describe-act.ts";
import {
  type AuditChange,
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
  abort: "aborted",
};

const text = (value: unknown): string =>
  value === undefined || value === null
    ? ""
    : typeof value === "string"
      ? value
      : JSON.stringify(value, undefined, 2);

/** What was empty and is empty is nothing to read. */
const toldColumns = ({ before, after }: AuditChange): string[] =>
  [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (name) => text(before?.[name]) !== "" || text(after?.[name]) !== "",
  );

/** A program that acts for somebody is named with the token it used. */
const who = (entry: AuditEntry) =>
  entry.token_name ? `${entry.actor_name} (${entry.token_name})` : entry.actor_name;
/** What the change is of or about: a link where that is a resource which is still there. */
function RowName({ entry }: { entry: AuditChange }) {
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
    minWidth: 84,
    sortable: true,
    value: (entry) => entry.created_at,
    renderCell: (entry) => <Age at={entry.created_at} />,
  },
  {
    id: "actor_name",
    header: "Who",
    width: 180,
    minWidth: 140,
    sortable: true,
    value: who,
    renderCell: who,
  },
  {
    id: "what",
    header: "What",
    minWidth: 260,
    hideable: false,
    value: ({ changes }) => describeAct(changes),
    renderCell: ({ changes }) => (
      <span className="block truncate" data-tooltip={describeAct(changes)}>
        <bdi>{describeAct(changes)}</bdi>
      </span>
    ),
  },
  {
    id: "row",
    header: "About",
    width: 200,
    minWidth: 150,
    value: (entry) => entry.row_name ?? entry.row_id,
    renderCell: (entry) => <RowName entry={entry} />,
  },
  {
    id: "address",
    header: "From",
    width: 130,
    minWidth: 110,
    value: (entry) => entry.address,
    renderCell: (entry) => entry.address ?? "–",
  },
];

/** One row that an act has written: what it was and what it is. */
function ChangedRow({ change }: { change: AuditChange }) {
  const names = toldColumns(change).toSorted();
  return (
    <section aria-label={`${change.table_name} ${change.row_id}`} className="flex flex-col gap-1">
      <h3 className="m-0 flex min-w-0 flex-wrap items-center gap-2 text-sm font-medium">
        <Badge tone={change.verb === "delete" ? "unhealthy" : "plain"}>
          {verbs[change.verb] ?? change.verb}
        </Badge>
        <code className="font-mono text-xs">{change.table_name}</code>
        <RowName entry={change} />
        <code className="min-w-0 font-mono text-xs break-all text-muted">{change.row_id}</code>
      </h3>
      {names.length > 0 && (
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
                  {[change.before, change.after].map((side, index) => (
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
      )}
    </section>
  );
}

function EntryDialog({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
  const facts: [string, ReactNode][] = [
    ["When", exactTime(Date.parse(entry.created_at)).replace("\n", " · ")],
    ["Who", who(entry)],
    ["From", entry.address],
    ["Request", entry.request_id],
  ];
  return (
    <Dialog
      title={describeAct(entry.changes)}
      size="large"
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
      {entry.changes.map((change) => (
        <ChangedRow key={change.id} change={change} />
      ))}
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
          <span className="truncate text-xs text-muted">{describeAct(entry.changes)}</span>
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
