import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { type ReactNode, Suspense, useState } from "react";
import type { StoredDocument } from "@mainstay/contract/documents/saved-documents.ts";
import { isKeptInConsole, ownSource } from "@mainstay/contract/sources.ts";
import { Button } from "@mainstay/ui/Button.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { PageSkeleton } from "@mainstay/ui/Skeletons.tsx";
import { toastDone } from "@mainstay/ui/toasts.ts";
import { messageOf } from "../api-error.ts";
import { cameFrom } from "../came-from.ts";
import { PageBar, type PageBarProps } from "../PageBar.tsx";
import { HistoryLink } from "../resources/HistoryLink.tsx";
import { ResourceTabs } from "../resources/ResourceTabs.tsx";
import { useResourceKind } from "../resources/use-resource-kind.ts";
import { useAccess } from "../use-access.ts";
import { useDraft } from "../use-draft.ts";
import { type ConsoleDocumentKind, useDocumentKinds } from "./document-kinds.ts";
import { downloadDocuments } from "./download-documents.ts";
import { useDeleteDocument } from "./mutations.ts";
import { documentQueries } from "./queries.ts";
import { TextEditor } from "./TextEditor.tsx";
import { whereToChange } from "./where-to-change.ts";

const Drift = lazyPart(() => import("./Drift.tsx").then((module) => module.Drift));
const Confirm = lazyPart(() => import("@mainstay/ui/Confirm.tsx").then((module) => module.Confirm));

const absent = (
  <EmptyState title="There is no such document">It was deleted, or the link is wrong.</EmptyState>
);

interface OneDocumentProps {
  kind: ConsoleDocumentKind;
  /** As it was last, when it is gone. */
  stored: StoredDocument & { text: string };
  isGone: boolean;
  /** It was saved or deleted. */
  leave: () => void;
  /** Leads back to it. */
  show: (id: string) => void;
  above: ReactNode;
}

function OneDocument({ kind, stored, isGone, leave, show, above }: OneDocumentProps) {
  const { id, source, document, lost = [], applied } = stored;
  const { name } = document.metadata;
  const whyNot = useAccess().whyNot("write", kind.resource);
  const locked = whereToChange(source);
  const draft = useDraft(`document.${kind.name}.${id}`, stored.text);
  const [asksToDelete, setAsksToDelete] = useState(false);
  const remove = useDeleteDocument(kind);
  // What was typed is not taken away with it.
  if (isGone && !draft.isChanged) return absent;
  return (
    <>
      <TextEditor
        label="Document"
        draft={draft}
        kinds={[kind]}
        readOnly={whyNot !== undefined || locked !== undefined}
        trial={kind.trial}
        id={id}
        // Of one that is gone the text makes another.
        {...(isGone
          ? { action: "Save" }
          : { action: "Update", busyAction: "Updating", stored: { source } })}
        onSaved={([saved]) => {
          toastDone(isGone ? `${name} saved` : `${name} updated successfully`, {
            label: "Open",
            onSelect: () => show(saved?.id ?? id),
          });
          leave();
        }}
        above={
          <>
            {!isGone && above}
            {isGone && (
              <p role="status" className="m-0 rounded-control bg-info-bg p-2 text-sm text-info-fg">
                Somebody has deleted this document meanwhile. Saving makes it anew.
              </p>
            )}
            {locked !== undefined && (
              <p className="m-0 rounded-control border bg-sunken px-3 py-2 text-sm break-words">
                {locked}
              </p>
            )}
            {applied !== undefined && (
              <Suspense>
                <Drift source={source ?? ""} applied={applied} text={stored.text} />
              </Suspense>
            )}
            {lost.length > 0 && (
              <p
                role="status"
                className="m-0 rounded-control bg-warning-bg p-2 text-sm break-words text-warning-fg"
              >
                {lost.length === 1 ? "A secret was lost" : `${lost.length} secrets were lost`} with
                the key that encrypted {lost.length === 1 ? "it" : "them"}, and what needs{" "}
                {lost.length === 1 ? "it" : "them"} fails. Write the value again in place of
                "********": <span className="font-mono">{lost.join(", ")}</span>
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
            {whyNot === undefined && !isGone && (
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
                  toastDone(`${name} deleted successfully`);
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

export interface EditorPageProps {
  /** As addresses write it: `canary`. */
  kind: string;
  id: string;
  /** What the list belongs to. */
  within: PageBarProps["crumbs"];
  /** Where whoever has saved or deleted the document is led back. */
  list: { label: string; to: string };
  /** Other pages that lead here, to which whoever came from one is led back. */
  alsoFrom?: readonly string[];
  /** Its own address. */
  to: (id: string) => string;
  /** What is said of it above its text. */
  renderAbove?: (id: string) => ReactNode;
  /** What else can be done with it, beside its name. */
  renderActions?: (stored: StoredDocument) => ReactNode;
}

/** One document of any kind: read, edited, tried, exported, deleted. */
export function EditorPage({
  kind: kindName,
  id,
  within,
  list,
  alsoFrom = [],
  to,
  renderAbove,
  renderActions,
}: EditorPageProps) {
  const router = useRouter();
  const [back] = useState(() => cameFrom([list.to, ...alsoFrom]));
  const kind = useDocumentKinds().find(({ name }) => name === kindName);
  const resourceKind = kind?.resourceKind ?? kindName;
  const resource = useResourceKind(resourceKind);
  const { data, error, refetch } = useQuery(documentQueries.one(kind, id));
  const [last, setLast] = useState(data);
  if (data && data !== last) setLast(data);
  const stored = data ?? (last?.id === id ? last : undefined);
  const title =
    stored?.document.metadata.name ?? (!kind || data === null ? "Page not found" : "Document");
  return (
    <>
      <PageBar
        crumbs={[...within, list, { label: title }]}
        actions={
          stored && (
            <>
              {resource && <HistoryLink kind={resource.kind} id={stored.id} />}
              {data && renderActions?.(stored)}
            </>
          )
        }
      />
      {kind && stored ? (
        <ResourceTabs
          key={stored.id}
          kind={resourceKind}
          id={stored.id}
          label={kind.label}
          own={[
            {
              id: "spec",
              label: "Spec",
              isKept: true,
              render: () => (
                <OneDocument
                  kind={kind}
                  stored={stored}
                  isGone={data === null}
                  leave={() => router.history.push(back)}
                  show={(shown) => router.history.push(to(shown))}
                  above={renderAbove?.(stored.id)}
                />
              ),
            },
          ]}
        />
      ) : !kind || data === null ? (
        absent
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
