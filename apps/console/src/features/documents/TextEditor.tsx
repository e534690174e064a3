import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { SavedDocument } from "@mainstay/contract/documents/saved-documents.ts";
import { Button } from "@mainstay/ui/Button.tsx";
import { YamlEditor } from "@mainstay/ui/yaml-editor/YamlEditor.tsx";
import { messageOf, serverIssues } from "#lib/api-error.ts";
import type { ConsoleDocumentKind } from "#lib/documents/document-kinds.ts";
import { Problems } from "#lib/documents/Problems.tsx";
import { useAccess } from "#lib/use-access.ts";
import type { Draft } from "#lib/use-draft.ts";
import { useReviewText, useSaveText } from "./mutations.ts";
import { Outcomes } from "./Outcomes.tsx";
import { documentQueries } from "./queries.ts";

type Refusal = Parameters<typeof Problems>[0];

function refusalOf(error: unknown): Refusal {
  const issues = serverIssues(error);
  const problems =
    issues.length > 0
      ? issues.map((issue) => ({
          ...issue,
          path: issue.path ?? "",
          severity: "error" as const,
        }))
      : [{ severity: "error" as const, path: "", message: messageOf(error) }];
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  return { title: `Nothing was saved: ${count}`, problems };
}

export interface TextEditorProps {
  label: string;
  draft: Draft;
  /** What the text may hold. */
  kinds: readonly ConsoleDocumentKind[];
  /** For whom it is only shown. */
  readOnly: boolean;
  /** What the button says that saves what was reviewed. */
  action: string;
  onSaved: (documents: readonly SavedDocument[]) => void;
  /** Above the editor, and at the left of the buttons. */
  above?: ReactNode;
  buttons?: ReactNode;
}

/** A text of documents: written, reviewed, and only then saved, whole or not at all. */
export function TextEditor(props: TextEditorProps) {
  const { draft, kinds, readOnly } = props;
  const whyNoCode = useAccess().whyNot("write", "server_code");
  const language = useQuery(documentQueries.language(kinds, whyNoCode));
  const review = useReviewText();
  const save = useSaveText(kinds);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [reviewed, setReviewed] = useState<{ text: string; documents: SavedDocument[] } | null>(
    null,
  );
  // What was written since is not what was reviewed.
  const current = reviewed?.text === draft.text ? reviewed : null;
  const isBusy = review.isPending || save.isPending;
  const { text } = draft;

  const start = () => {
    setRefusal(null);
    setReviewed(null);
  };
  const onError = (error: unknown) => {
    setReviewed(null);
    setRefusal(refusalOf(error));
  };
  const onReview = () => {
    start();
    review.mutate(text, {
      onError,
      onSuccess: ({ documents }) => setReviewed({ text, documents }),
    });
  };
  const onSave = () => {
    setRefusal(null);
    save.mutate(text, {
      onError,
      onSuccess: ({ documents }) => {
        draft.discard();
        start();
        props.onSaved(documents);
      },
    });
  };

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-auto p-4">
        {props.above}
        <div className="flex min-h-80 flex-1 flex-col">
          <YamlEditor
            label={props.label}
            value={text}
            onChange={draft.change}
            readOnly={readOnly}
            {...(language.data ? { language: language.data } : {})}
          />
        </div>
        {refusal && <Problems {...refusal} />}
        {current && <Outcomes documents={current.documents} />}
      </div>
      <footer className="flex shrink-0 flex-wrap items-center gap-2 border-t bg-surface px-4 py-2.5">
        {props.buttons}
        {!readOnly && (
          <span className="ml-auto flex flex-wrap items-center justify-end gap-2">
            {draft.isChanged && (
              <Button
                kind="quiet"
                disabled={isBusy}
                onClick={() => {
                  draft.discard();
                  start();
                }}
              >
                Discard changes
              </Button>
            )}
            {current?.documents.some(({ outcome }) => outcome !== "unchanged") ? (
              <Button kind="primary" disabled={isBusy} onClick={onSave}>
                {save.isPending ? "Saving" : props.action}
              </Button>
            ) : (
              <Button
                kind="primary"
                disabled={isBusy || !draft.isChanged || current !== null}
                onClick={onReview}
              >
                {review.isPending ? "Reviewing" : "Review changes"}
              </Button>
            )}
          </span>
        )}
      </footer>
    </div>
  );
}
