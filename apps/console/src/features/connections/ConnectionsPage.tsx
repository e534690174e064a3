import { useQuery } from "@tanstack/react-query";
import { Pencil, Trash2, Zap } from "lucide-react";
import { Suspense, useState } from "react";
import { isKeptInConsole } from "@mainstay/contract/sources.ts";
import { Age } from "@mainstay/ui/Age.tsx";
import { Button } from "@mainstay/ui/Button.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { Icon } from "@mainstay/ui/Icon.tsx";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { RowMenu } from "@mainstay/ui/list-table/RowMenu.tsx";
import { actionsColumn } from "@mainstay/ui/list-table/stock-columns.tsx";
import type { MenuEntry } from "@mainstay/ui/Menu.tsx";
import { Select } from "@mainstay/ui/Select.tsx";
import { CreateButton } from "#lib/CreateButton.tsx";
import { PageBar } from "#lib/PageBar.tsx";
import { PagedList } from "#lib/PagedList.tsx";
import { useUrlState } from "#lib/url-state.ts";
import { useAccess } from "#lib/use-access.ts";
import { columns, SourceLock } from "./columns.tsx";
import {
  anyType,
  connectionQueries,
  connectionsCodec,
  type ListedConnection,
  openCodec,
} from "./queries.ts";
import { typeLabel, typeLabels } from "./type-labels.ts";
import { useTest } from "./use-test.ts";

const load = () => import("./dialogs.ts");
const PickTypeDialog = lazyPart(() => load().then((module) => module.PickTypeDialog));
const NewConnection = lazyPart(() => load().then((module) => module.NewConnection));
const OpenedConnection = lazyPart(() => load().then((module) => module.OpenedConnection));
const DeleteConnection = lazyPart(() => load().then((module) => module.DeleteConnection));
const TestResults = lazyPart(() => load().then((module) => module.TestResults));

const typeOptions = [
  { value: "", label: "All types" },
  ...Object.entries(typeLabels).map(([value, label]) => ({ value, label })),
];

/** /settings/connections: what leads to other systems, with what it takes to get in. */
export function ConnectionsPage() {
  const [view, change] = useUrlState(connectionsCodec);
  const [open, changeOpen] = useUrlState(openCodec);
  const page = useQuery(connectionQueries.page(view));
  const mayWrite = useAccess().may("write", "connections");
  const [deleting, setDeleting] = useState<ListedConnection | null>(null);
  const test = useTest();
  const close = () => changeOpen({ id: undefined, add: undefined });
  const add = () => changeOpen({ add: anyType });
  const addedType =
    open.add !== undefined && Object.hasOwn(typeLabels, open.add) ? open.add : undefined;
  const dialog = { isTesting: test.testing !== undefined, onTest: test.start, onClose: close };

  const entriesOf = (connection: ListedConnection): MenuEntry[] => [
    {
      kind: "action",
      label: "Test",
      icon: <Zap size={14} strokeWidth={1.75} />,
      disabled: test.testing !== undefined,
      onSelect: () => test.start(connection),
    },
    {
      kind: "action",
      label: "Edit",
      icon: <Pencil size={14} strokeWidth={1.75} />,
      onSelect: () => changeOpen({ id: connection.id }),
    },
    {
      kind: "action",
      label: "Delete",
      icon: <Trash2 size={14} strokeWidth={1.75} />,
      disabled: !isKeptInConsole(connection.source),
      onSelect: () => setDeleting(connection),
    },
  ];
  const rowMenu = (connection: ListedConnection) => (
    <RowMenu
      name={connection.name}
      entries={entriesOf(connection)}
      isBusy={test.testing === connection.id}
    />
  );

  const above = (
    <Suspense>
      {deleting && (
        <DeleteConnection
          connection={deleting}
          onClose={() => setDeleting(null)}
          onDeleted={() => {
            setDeleting(null);
            close();
          }}
        />
      )}
      {test.results && <TestResults {...test.results} onClose={test.close} />}
    </Suspense>
  );

  return (
    <>
      <PageBar
        crumbs={[{ label: "Settings" }, { label: "Connections" }]}
        actions={mayWrite && <CreateButton label="Add connection" onCreate={add} />}
        refresh={{
          onRefresh: () => void page.refetch(),
          isRefreshing: page.isFetching,
          updatedAt: page.dataUpdatedAt,
        }}
      />
      <PagedList
        noun="connections"
        view={view}
        change={change}
        page={page}
        loadAll={(limit) => connectionQueries.all(view, limit)}
        columns={mayWrite ? [...columns, actionsColumn(rowMenu)] : columns}
        rowId={({ id }) => id}
        onOpen={({ id }) => changeOpen({ id })}
        storageKey="connections"
        search={{
          label: "Search connections",
          placeholder: "Search by name, namespace or type",
        }}
        filters={
          <Select
            label="Type"
            value={view.type}
            options={typeOptions}
            onChange={(type) => change({ type, pageIndex: 0 })}
          />
        }
        isFiltered={view.query !== "" || view.type !== ""}
        renderPhoneRow={(connection) => (
          <span className="flex min-w-0 items-center gap-2">
            <Icon name={connection.type} size={20} />
            <span className="flex min-w-0 flex-1 flex-col">
              <span className="flex min-w-0 items-center gap-2">
                <bdi className="truncate font-medium">{connection.name}</bdi>
                <SourceLock source={connection.source} />
              </span>
              <span className="truncate text-xs text-muted">
                {typeLabel(connection.type)} · {connection.namespace} ·{" "}
                <Age at={connection.updated_at} />
              </span>
            </span>
            {mayWrite && rowMenu(connection)}
          </span>
        )}
        empty={
          <EmptyState
            title="No resources found"
            actions={
              mayWrite && (
                <Button kind="primary" onClick={add}>
                  Add connection
                </Button>
              )
            }
          >
            A connection holds the address of another system and what it takes to get in, once, for
            all checks and notifications that name it.
          </EmptyState>
        }
      />
      <Suspense>
        {mayWrite && open.add !== undefined && !addedType && (
          <PickTypeDialog onPick={(type) => changeOpen({ add: type })} onClose={close} />
        )}
        {mayWrite && addedType && (
          <NewConnection
            key={addedType}
            {...dialog}
            type={addedType}
            onDelete={setDeleting}
            onBack={() => changeOpen({ add: anyType })}
          >
            {above}
          </NewConnection>
        )}
        {open.id !== undefined && open.add === undefined && (
          <OpenedConnection id={open.id} {...dialog} onDelete={setDeleting}>
            {above}
          </OpenedConnection>
        )}
        {(open.id === undefined || open.add !== undefined) && !addedType && above}
      </Suspense>
    </>
  );
}
