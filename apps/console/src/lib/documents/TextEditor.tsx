import { useQuery } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { type ReactNode, useState } from "react";
import type {
  DocumentNotice,
  SavedDocument,
} from "@mainstay/contract/documents/saved-documents.ts";
import { PageSkeleton } from "@mainstay/ui/Skeletons.tsx";
import { Tabs } from "@mainstay/ui/Tabs.tsx";
import { Button } from "@mainstay/ui/Button.tsx";
import { YamlEditor } from "@mainstay/ui/yaml-editor/YamlEditor.tsx";
import { messageOf, serverIssues } from "../api-error.ts";
import type { ConsoleDocumentKind, DocumentTrial } from "./document-kinds.ts";
import { Problems, type TextPlace } from "./Problems.tsx";
import { guestFailure, LazyGuest } from "../places/LazyGuest.tsx";
import { useUrlState } from "../url-state.ts";
import { useAccess } from "../use-access.ts";
import type { Draft } from "../use-draft.ts";
import { useReviewText, useSaveText, useTryText } from "./mutations.ts";
import { Outcomes } from "./Outcomes.tsx";
import { documentQueries } from "./queries.ts";

type Refusal = Parameters<typeof Problems>[0];

function refusalOf(what: string, error: unknown): Refusal {
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
  return { title: `${what}: ${count}`, problems };
}

export interface TextEditorProps {
  label: string;
  draft: Draft;
  /** What the text may hold. */
  kinds: readonly ConsoleDocumentKind[];
  /** For whom it is only shown. */
  readOnly: boolean;
  /** What it begins with is not stored anywhere: it may be saved as it is. */
  isNew?: boolean;
  trial?: DocumentTrial | undefined;
  /** Of what is stored. */
  id?: string;
  /** What the button says that saves what was reviewed. */
  action: string;
  onSaved: (documents: readonly SavedDocument[]) => void;
  /** Above the editor, and at the left of the buttons. */
  above?: ReactNode;
  buttons?: ReactNode;
}

const codec = {
  parse: (raw: Record<string, string | undefined>) => ({ isForm: raw["editor"] === "form" }),
  format: ({ isForm }: { isForm: boolean }) => ({ editor: isForm ? "form" : undefined }),
};
const panelId = "document-text";
const formFailure = guestFailure("The form");

/** A text of documents: written, reviewed, and only then saved, whole or not at all. */
export function TextEditor(props: TextEditorProps) {
  const { draft, kinds, readOnly, trial, id } = props;
  const whyNoCode = useAccess().whyNot("write", "server_code");
  const language = useQuery(documentQueries.language(kinds, whyNoCode));
  const review = useReviewText();
  const save = useSaveText(kinds);
  const attempt = useTryText(trial);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [reviewed, setReviewed] = useState<{
    text: string;
    initial: string;
    documents: SavedDocument[];
    notices: readonly DocumentNotice[];
  } | null>(null);
  const { text, initial } = draft;
  const [{ isForm }, changeView] = useUrlState(codec);
  // Of several kinds none is what the whole text is.
  const only = kinds.length === 1 ? kinds[0] : undefined;
  const showsForm = isForm && only?.loadForm !== undefined;
  const [isTried, setIsTried] = useState(false);
  const [offset, setOffset] = useState(0);
  const [place, setPlace] = useState<TextPlace | null>(null);
  const onGo = (to: TextPlace) => {
    changeView({ isForm: false }, { replace: true });
    setPlace({ ...to });
  };
  // What was written since, here or by others, is not what was reviewed.
  const current = reviewed?.text === text && reviewed.initial === initial ? reviewed : null;
  const maySave = current?.documents.some(({ outcome }) => outcome !== "unchanged") === true;
  const isBusy = review.isPending || save.isPending || attempt.isPending;
  const mayReview = text.trim() !== "" && (draft.isChanged || props.isNew === true);

  const start = () => {
    setIsTried(true);
    setRefusal(null);
    setReviewed(null);
    attempt.reset();
  };
  const onError = (error: unknown) => {
    setReviewed(null);
    setRefusal(refusalOf("Nothing was saved", error));
  };
  const onReview = () => {
    if (isBusy) return;
    start();
    review.mutate(text, {
      onError,
      onSuccess: ({ documents, notices }) => setReviewed({ text, initial, documents, notices }),
    });
  };
  const onSave = () => {
    if (isBusy) return;
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
  const onTry = () => {
    if (!trial || isBusy) return;
    start();
    attempt.mutate(id === undefined ? { text } : { text, id }, {
      onError: (error) => setRefusal(refusalOf(trial.refused, error)),
    });
  };

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {only?.loadForm && (
        <Tabs
          label="Ways to edit"
          panelId={panelId}
          selected={showsForm ? "form" : "text"}
          onSelect={(id) => changeView({ isForm: id === "form" }, { replace: true })}
          tabs={[
            { id: "text", label: "Text" },
            { id: "form", label: "Form" },
          ]}
        />
      )}
      <div
        {...(only?.loadForm && { id: panelId, role: "tabpanel" })}
        className="flex min-h-0 flex-1 flex-col gap-3 overflow-auto p-4"
      >
        {props.above}
        {showsForm && only.loadForm ? (
          // What it needs of the language must not be there before the language itself: see `forbidEval`.
          language.data ? (
            <LazyGuest
              load={only.loadForm}
              props={{ text, onChange: draft.change, readOnly, isTried }}
              skeleton={<PageSkeleton />}
              renderFailure={formFailure}
            />
          ) : (
            <PageSkeleton />
          )
        ) : (
          <div className="flex min-h-80 flex-1 gap-3 max-desk:flex-col">
            <div className="flex min-h-80 min-w-0 flex-1 flex-col">
              <YamlEditor
                label={props.label}
                value={text}
                onChange={draft.change}
                readOnly={readOnly}
                place={place}
                {...(only?.loadAside && { onCursor: setOffset })}
                {...(language.data ? { language: language.data } : {})}
              />
            </div>
            {only?.loadAside && language.data && (
              <LazyGuest
                load={only.loadAside}
                props={{ text, offset, id }}
                renderFailure={guestFailure("What stands beside the text")}
              />
            )}
          </div>
        )}
        {refusal && <Problems {...refusal} onGo={onGo} />}
        {attempt.data}
        {current && (
          <Outcomes documents={current.documents} notices={current.notices} onGo={onGo} />
        )}
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
                  setIsTried(false);
                }}
              >
                Discard changes
              </Button>
            )}
            {/* None of these is disabled while it works: the focus would be lost. */}
            {trial && (
              <Button
                icon={<Play size={14} strokeWidth={1.75} />}
                disabled={text.trim() === ""}
                aria-busy={isBusy}
                onClick={onTry}
              >
                {attempt.isPending ? trial.busyLabel : trial.label}
              </Button>
            )}
            <Button
              kind="primary"
              disabled={!mayReview}
              aria-busy={isBusy}
              onClick={({ detail: clicks }) => {
                if (!maySave) onReview();
                // Of a double click the second would save what nobody has seen.
                else if (clicks < 2) onSave();
              }}
            >
              {save.isPending
                ? "Saving"
                : review.isPending
                  ? "Reviewing"
                  : maySave
                    ? props.action
                    : "Review changes"}
            </Button>
          </span>
        )}
      </footer>
    </div>
  );
}
