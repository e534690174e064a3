import { Age } from "@mainstay/ui/Age.tsx";
import { Badge } from "@mainstay/ui/Badge.tsx";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { nameColumn } from "@mainstay/ui/list-table/stock-columns.tsx";
import type { ConsoleDocumentKind } from "#lib/documents/document-kinds.ts";
import type { ListedDocument } from "./queries.ts";
import { Source } from "#lib/documents/Source.tsx";

const first: readonly Column<ListedDocument>[] = [
  nameColumn(),
  {
    id: "kind",
    header: "Kind",
    width: 120,
    minWidth: 112,
    sortable: true,
    value: ({ of }) => of.kind,
    renderCell: ({ of }) => <Badge>{of.kind}</Badge>,
  },
  {
    id: "namespace",
    header: "Namespace",
    width: 140,
    minWidth: 100,
    sortable: true,
    value: ({ namespace }) => namespace,
    renderCell: ({ namespace }) => <span className="truncate">{namespace}</span>,
  },
];

/** Where each is kept, and whether it is still what that place applied. */
const sourceColumn = (drifted: ReadonlySet<string>): Column<ListedDocument> => ({
  id: "source",
  header: "Source",
  width: 200,
  minWidth: 120,
  dropOrder: 3,
  sortable: true,
  value: ({ id, source }) => `${source ?? "Console"}${drifted.has(id) ? " (drifted)" : ""}`,
  renderCell: ({ id, source }) => <Source source={source} isDrifted={drifted.has(id)} />,
});

/** Each as it is searched for. */
export const labelsOf = ({ labels }: ListedDocument): string[] =>
  Object.entries(labels ?? {}).map(([name, value]) => `${name}=${value}`);

const last: readonly Column<ListedDocument>[] = [
  {
    id: "labels",
    header: "Labels",
    width: 220,
    minWidth: 140,
    dropOrder: 1,
    value: (row) => labelsOf(row).join(", "),
    renderCell: (row) => (
      <span className="flex gap-1 overflow-hidden" data-tooltip={labelsOf(row).join("\n")}>
        {labelsOf(row).map((label) => (
          <Badge key={label}>{label}</Badge>
        ))}
      </span>
    ),
  },
  {
    id: "age",
    header: "Age",
    width: 92,
    minWidth: 92,
    sortable: true,
    value: ({ created_at }) => created_at,
    renderCell: ({ created_at }) => <Age at={created_at} />,
  },
];

/** What the kinds say of themselves; what several call by one name stands in one column. */
function factColumns(kinds: readonly ConsoleDocumentKind[]): Column<ListedDocument>[] {
  const facts = kinds.flatMap((kind) => (kind.facts ?? []).map((fact) => ({ ...fact, kind })));
  const byHeader = Map.groupBy(facts, ({ header }) => header);
  return Array.from(byHeader, ([header, same]) => {
    const value = (row: ListedDocument) =>
      same.find(({ kind }) => row.of === kind)?.of(row.spec) ?? null;
    return {
      id: `${same[0]!.kind.name}.${same[0]!.id}`,
      header,
      width: 140,
      minWidth: 100,
      dropOrder: 2,
      sortable: true,
      value,
      renderCell: (row) => <span className="truncate">{value(row)}</span>,
    };
  });
}

/** The columns of documents of these kinds, with what the kinds add. */
export const columnsOf = (
  kinds: readonly ConsoleDocumentKind[],
  drifted: ReadonlySet<string>,
): readonly Column<ListedDocument>[] => [
  ...first,
  sourceColumn(drifted),
  ...factColumns(kinds),
  ...last,
];
