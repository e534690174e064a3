import { useQuery } from "@tanstack/react-query";
import { useParams, useRouter } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import type { StoredDocument } from "@mainstay/contract/documents/saved-documents.ts";
import { isKeptInConsole, ownSource } from "@mainstay/contract/sources.ts";
import { Button } from "@mainstay/ui/Button.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { PageSkeleton } from "@mainstay/ui/Skeletons.tsx";
import { toastDone } from "@mainstay/ui/toasts.ts";
import { messageOf } from "#lib/api-error.ts";
import { type ConsoleDocumentKind, useDocumentKinds } from "#lib/documents/document-kinds.ts";
import { PageBar } from "#lib/PageBar.tsx";
import { paths } from "#lib/paths.ts";
import { useAccess } from "#lib/use-access.ts";
import { useDraft } from "#lib/use-draft.ts";
import { downloadDocuments } from "./download-documents.ts";
import { useDeleteDocument } from "./mutations.ts";
import { documentQueries } from "./queries.ts";
import { whereToChange } from "./Source.tsx";
import { TextEditor } from "./TextEditor.tsx";

const Confirm = lazy(() =>
  import("@mainstay/ui/Confirm.tsx").then((module) => ({ default: module.Confirm })),
);

function OneDocument({
  kind,
  stored,
}: {
  kind: ConsoleDocumentKind;
  stored: StoredDocument & { text: string };
}) {
  const router = useRouter();
  const { id, source, document } = stored;
  const { name } = document.metadata;
  const whyNot = useAccess().whyNot("write", kind.resource);
  const locked = whereToChange(source);
  const draft = useDraft(`document.${kind.name}.${id}`, stored.text);
  const [asksToDelete, setAsksToDelete] = useState(false);
  const remove = useDeleteDocument(kind);
  const leave = () => router.history.push(paths.documents());
  return (
    <>
      <TextEditor
        label="Document"
        draft={draft}
        kinds={[kind]}
        readOnly={whyNot !== undefined || locked !== undefined}
        action="Save"
        onSaved={() => toastDone(`${name} saved`)}
        above={
          <>
            {locked !== undefined && (
              <p className="m-0 rounded-control border bg-sunken px-3 py-2 text-sm break-words">
                {locked}
              </p>
            )}
            {whyNot !== undefined && (
              <p role="status" className="m-0 text-sm text-muted">
                {whyNot}
              </p>
            )}
          </>
        }
        buttons={
          <>
            {whyNot === undefined && (
              <Button kind="danger" onClick={() => setAsksToDelete(true)}>
                Delete
              </Button>
            )}
            <Button
              icon={<Download size={14} strokeWidth={1.75} />}
              onClick={() => void downloadDocuments(name, [stored])}
            >
              Export as YAML
            </Button>
          </>
        }
      />
      <Suspense>
        {asksToDelete && (
          <Confirm
            title={`Delete ${name}?`}
            action={remove.isPending ? "Deleting" : "Delete"}
            isBusy={remove.isPending}
            onClose={() => setAsksToDelete(false)}
            onConfirm={() =>
              remove.mutate(id, {
                onSuccess: () => {
                  draft.discard();
                  toastDone(`${name} deleted`);
                  leave();
                },
              })
            }
          >
            {kind.deleting}
            {!isKeptInConsole(source) &&
              source !== ownSource &&
              ` When ${source} is applied again, it comes back.`}
          </Confirm>
        )}
      </Suspense>
    </>
  );
}

/** /settings/documents/{kind}/{id}: one document of any kind. */
export function DocumentPage() {
  const { kind: name = "", documentId = "" } = useParams({ strict: false });
  const kind = useDocumentKinds().find((each) => each.name === name);
  const { data, error, refetch } = useQuery(documentQueries.one(kind, documentId));
  const isGone = !kind || data === null;
  const title = isGone ? "Page not found" : (data?.document.metadata.name ?? "Document");
  return (
    <>
      <PageBar
        crumbs={[
          { label: "Settings" },
          { label: "Documents", to: paths.documents() },
          { label: title },
        ]}
      />
      {isGone ? (
        <EmptyState title="There is no such document">
          It was deleted, or the link is wrong.
        </EmptyState>
      ) : data ? (
        <OneDocument key={data.id} kind={kind} stored={data} />
      ) : error ? (
        <ErrorDisplay
          title="The document could not be loaded"
          message={messageOf(error)}
          onRetry={() => void refetch()}
        />
      ) : (
        <PageSkeleton />
      )}
    </>
  );
}
