import type {
  DocumentNotice,
  SavedDocument,
} from "@mainstay/contract/documents/saved-documents.ts";
import { Badge } from "@mainstay/ui/Badge.tsx";
import { DiffView } from "@mainstay/ui/diff-view/DiffView.tsx";
import { useState } from "react";
import { PlaceLink, type TextPlace } from "./Problems.tsx";

const words = {
  created: "would be created",
  updated: "would be changed",
  deleted: "would be deleted",
  unchanged: "stays as it is",
} as const;

const keyOf = ({ kind, namespace, name }: SavedDocument) => `${kind}/${namespace}/${name}`;

function Title({ document: { kind, namespace, name, outcome } }: { document: SavedDocument }) {
  return (
    <>
      <Badge>{kind}</Badge>
      <span className="min-w-0 font-medium break-all">
        {namespace}/{name}
      </span>
      <span className="text-muted">{words[outcome]}</span>
    </>
  );
}

/** One of several: what differs is a click away, and is drawn when it is asked for. */
function Outcome({ document, isOnly }: { document: SavedDocument; isOnly: boolean }) {
  const { namespace, name, before = "", after = "", held } = document;
  const secrets = document.changes?.filter(({ secret }) => secret) ?? [];
  const [isOpen, setIsOpen] = useState(isOnly);
  const differs = before !== after;
  const difference = differs && isOpen && (
    <DiffView
      label={`Changes of ${namespace}/${name}`}
      language="yaml"
      before={before}
      after={after}
      beforeLabel="Stored"
      afterLabel="As written"
    />
  );
  return (
    <li className="flex flex-col gap-1.5">
      {differs && !isOnly ? (
        <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
          <summary className="cursor-pointer text-sm">
            <span className="inline-flex max-w-[calc(100%-1.5rem)] flex-wrap items-center gap-2 align-top">
              <Title document={document} />
            </span>
          </summary>
          <div className="pt-1.5">{difference}</div>
        </details>
      ) : (
        <p className="m-0 flex flex-wrap items-center gap-2 text-sm">
          <Title document={document} />
        </p>
      )}
      {document.drifted && (
        <p className="m-0 text-xs text-warning-fg">
          Somebody has changed it since its source applied it: that change would be undone.
        </p>
      )}
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
      {isOnly && difference}
    </li>
  );
}

const number = new Intl.NumberFormat();

/** How many of several would be created, changed, and so on. */
function countsOf(documents: readonly SavedDocument[]): string {
  const counts = Object.keys(words).flatMap((outcome) => {
    const count = documents.filter((document) => document.outcome === outcome).length;
    const said = words[outcome as keyof typeof words];
    const many = count === 1 ? said : said.replace("stays as it is", "stay as they are");
    return count === 0 ? [] : [`${number.format(count)} ${many}`];
  });
  return `${number.format(documents.length)} documents: ${counts.join(", ")}.`;
}

/** What would become of all of them, and why it has not. */
function summaryOf(documents: readonly SavedDocument[], isPart: boolean): string {
  const [only, ...more] = documents;
  const what =
    only && more.length === 0
      ? `The ${isPart ? "other document" : "document"} ${words[only.outcome]}.`
      : `${isPart ? "The other " : ""}${countsOf(documents)}`;
  return isPart
    ? `${what} Nothing can be saved until what is wrong above is mended or taken out.`
    : `${what} Nothing is saved yet.`;
}

interface OutcomesProps {
  documents: readonly SavedDocument[];
  notices?: readonly DocumentNotice[];
  /** Others of the text are bad. */
  isPart?: boolean;
  /** Leads to a place in the text. */
  onGo?: (place: TextPlace) => void;
}

/** What saving would do, document by document; those that stay as they are come last, folded. */
export function Outcomes({ documents, notices = [], isPart = false, onGo }: OutcomesProps) {
  const isOnly = documents.length === 1;
  const isQuiet = ({ outcome, held }: SavedDocument) =>
    outcome === "unchanged" && held.length === 0;
  const quiet = isOnly ? [] : documents.filter(isQuiet);
  const told = isOnly ? documents : documents.filter((document) => !isQuiet(document));
  const isSame = documents.every(({ outcome }) => outcome === "unchanged");
  return (
    <section aria-label="Review" role="status" className="flex flex-col gap-3">
      <p className="m-0 text-sm font-medium">
        {isSame && !isPart ? "Nothing would change." : summaryOf(documents, isPart)}
      </p>
      {told.length > 0 && (
        <ul className="m-0 flex list-none flex-col gap-3 p-0">
          {told.map((document) => (
            <Outcome key={keyOf(document)} document={document} isOnly={isOnly} />
          ))}
        </ul>
      )}
      {quiet.length > 0 && (
        <details>
          <summary className="cursor-pointer text-sm text-muted">
            {quiet.length === 1
              ? "1 document stays as it is"
              : `${number.format(quiet.length)} documents stay as they are`}
          </summary>
          <ul className="m-0 flex list-none flex-col gap-1.5 p-0 pt-1.5">
            {quiet.map((document) => (
              <li key={keyOf(document)} className="flex flex-wrap items-center gap-2 text-sm">
                <Title document={document} />
              </li>
            ))}
          </ul>
        </details>
      )}
      {notices.map(({ path, line, column, message }) => (
        <p key={`${line}:${column}:${path}`} className="m-0 text-xs text-warning-fg">
          <PlaceLink place={{ line, column }} onGo={onGo} /> {message}
        </p>
      ))}
    </section>
  );
}
