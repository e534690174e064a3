import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { useMemo } from "react";
import { isKeptInConsole } from "@mainstay/contract/sources.ts";
import { Age } from "@mainstay/ui/Age.tsx";
import { Button } from "@mainstay/ui/Button.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { Select } from "@mainstay/ui/Select.tsx";
import { useDocumentKinds } from "#lib/documents/document-kinds.ts";
import { ListPage } from "#lib/ListPage.tsx";
import { paths } from "#lib/paths.ts";
import { useUrlState } from "#lib/url-state.ts";
import { useAccess } from "#lib/use-access.ts";
import { columnsOf, labelsOf } from "./columns.tsx";
import { useDownloadDocuments } from "./mutations.ts";
import { listQueries } from "./queries.ts";
import { Source } from "#lib/documents/Source.tsx";

const codec = {
  parse: (raw: Record<string, string | undefined>) => ({ kind: raw["kind"] ?? "" }),
  format: ({ kind }: { kind: string }) => ({ kind: kind === "" ? undefined : kind }),
};

const none: ReadonlySet<string> = new Set();

/** /settings/documents: documents of every kind that somebody may read. */
export function DocumentsPage() {
  const router = useRouter();
  const access = useAccess();
  const kinds = useDocumentKinds();
  const [view, change] = useUrlState(codec);
  const shown = useMemo(() => {
    const chosen = kinds.filter(({ name }) => name === view.kind);
    return chosen.length > 0 ? chosen : kinds;
  }, [kinds, view.kind]);
  const list = useQuery(listQueries.list(shown));
  const withOthers = shown.filter((kind) =>
    list.data?.some(({ of, source }) => of === kind && !isKeptInConsole(source)),
  );
  const { data: drifted = none } = useQuery(listQueries.drifted(withOthers));
  const columns = useMemo(() => columnsOf(shown, drifted), [shown, drifted]);
  const download = useDownloadDocuments();
  const mayApply = kinds.some(({ resource }) => access.may("write", resource));
  const apply = () => router.history.push(paths.applyDocuments());
  return (
    <ListPage
      crumbs={[{ label: "Settings" }, { label: "Documents" }]}
      noun="documents"
      query={list}
      columns={columns}
      rowId={({ of, id }) => `${of.name}/${id}`}
      onOpen={({ of, id }) => router.history.push(paths.document(of.name, id))}
      searchIn={(row) =>
        [
          row.name,
          row.namespace,
          row.source,
          drifted.has(row.id) ? "drifted" : "",
          ...labelsOf(row),
        ].join(" ")
      }
      filters={
        kinds.length > 1 && (
          <Select
            label="Kind"
            value={view.kind}
            options={[
              { value: "", label: "All" },
              ...kinds.map(({ name, label }) => ({ value: name, label })),
            ]}
            onChange={(kind) => change({ kind })}
          />
        )
      }
      create={mayApply ? { label: "Apply documents", onCreate: apply } : undefined}
      storageKey="documents"
      renderBulkActions={(chosen) => (
        <Button
          icon={<Download size={14} strokeWidth={1.75} />}
          disabled={download.isPending}
          onClick={() => download.mutate(chosen)}
        >
          {download.isPending ? "Exporting" : "Export as YAML"}
        </Button>
      )}
      renderPhoneRow={({ id, of, source, created_at, name, namespace }) => (
        <span className="flex min-w-0 flex-col">
          <span className="flex justify-between gap-2">
            <span className="truncate font-medium">{name}</span>
            <span className="shrink-0 text-xs text-muted">
              <Age at={created_at} />
            </span>
          </span>
          <span className="flex min-w-0 gap-2 text-xs text-muted">
            <span className="truncate">
              {of.kind} · {namespace}
            </span>
            <Source source={source} isDrifted={drifted.has(id)} />
          </span>
        </span>
      )}
      empty={
        <EmptyState
          title="There are no documents"
          actions={
            mayApply && (
              <Button kind="primary" onClick={apply}>
                Apply documents
              </Button>
            )
          }
        >
          Documents say what is watched. They are applied here, with the command line, or from
          files.
        </EmptyState>
      }
    />
  );
}
