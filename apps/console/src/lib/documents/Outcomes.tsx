import type {
  DocumentNotice,
  SavedDocument,
} from "@mainstay/contract/documents/saved-documents.ts";
import { Badge } from "@mainstay/ui/Badge.tsx";
import { DiffView } from "@mainstay/ui/diff-view/DiffView.tsx";

const words = {
  created: "would be created",
  updated: "would be changed",
  unchanged: "stays as it is",
  deleted: "would be deleted",
} as const;

function Outcome({ document }: { document: SavedDocument }) {
  const { kind, namespace, name, outcome, before = "", after = "", held } = document;
  const secrets = document.changes?.filter(({ secret }) => secret) ?? [];
  return (
    <li className="flex flex-col gap-1.5">
      <p className="m-0 flex flex-wrap items-center gap-2 text-sm">
        <Badge>{kind}</Badge>
        <span className="min-w-0 font-medium break-all">
          {namespace}/{name}
        </span>
        <span className="text-muted">{words[outcome]}</span>
      </p>
      {secrets.length > 0 && (
        <p className="m-0 text-xs text-muted">
          Secrets that would be written anew; whether they differ is never told:{" "}
          <span className="font-mono break-all">{secrets.map(({ path }) => path).join(", ")}</span>
        </p>
      )}
      {held.map((part) => (
        <p key={`${part.type}/${part.name}`} className="m-0 text-xs text-warning-fg">
          {part.type} "{part.name}" would be kept and not run: {part.reason}
        </p>
      ))}
      {before !== after && (
        <DiffView
          label={`Changes of ${namespace}/${name}`}
          language="yaml"
          before={before}
          after={after}
          beforeLabel="Stored"
          afterLabel="As written"
        />
      )}
    </li>
  );
}

const number = new Intl.NumberFormat();

/** What saving would do, document by document. */
export function Outcomes({
  documents,
  notices = [],
}: {
  documents: readonly SavedDocument[];
  notices?: readonly DocumentNotice[];
}) {
  const changed = documents.filter(({ outcome }) => outcome !== "unchanged").length;
  return (
    <section aria-label="Review" role="status" className="flex flex-col gap-3">
      <p className="m-0 text-sm font-medium">
        {changed === 0
          ? "Nothing would change."
          : documents.length === 1
            ? `The document ${words[documents[0]!.outcome]}. Nothing is saved yet.`
            : `${number.format(changed)} of ${number.format(documents.length)} documents would change. Nothing is saved yet.`}
      </p>
      <ul className="m-0 flex list-none flex-col gap-4 p-0">
        {documents.map((document) => (
          <Outcome
            key={`${document.kind}/${document.namespace}/${document.name}`}
            document={document}
          />
        ))}
      </ul>
      {notices.map(({ path, line, column, message }) => (
        <p key={`${line}:${column}:${path}`} className="m-0 text-xs text-warning-fg">
          Line {line}: {message}
        </p>
      ))}
    </section>
  );
}
