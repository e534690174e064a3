import { useQuery } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type {
  DocumentNotice,
  SavedDocument,
} from "@mainstay/contract/documents/saved-documents.ts";
import { PageSkeleton } from "@mainstay/ui/Skeletons.tsx";
import { Tabs } from "@mainstay/ui/Tabs.tsx";
import { Button } from "@mainstay/ui/Button.tsx";
import { useClock } from "@mainstay/ui/clock.ts";
import { YamlEditor } from "@mainstay/ui/yaml-editor/YamlEditor.tsx";
import { messageOf, serverIssues } from "../api-error.ts";
import type { ConsoleDocumentKind, DocumentTrial, TextFormProps } from "./document-kinds.ts";
import { Problems, type TextPlace } from "./Problems.tsx";
import { guestFailure, LazyGuest } from "../places/LazyGuest.tsx";
import { useUrlState } from "../url-state.ts";
import { useAccess } from "../use-access.ts";
import type { Draft } from "../use-draft.ts";
import { goodOnesIn, useReviewText, useSaveText, useTryText } from "./mutations.ts";
import { Outcomes } from "./Outcomes.tsx";
import { documentQueries } from "./queries.ts";

type Refusal = Parameters<typeof Problems>[0] & { of?: string };

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

/** For how long something has been done, once that is worth saying. */
function Passed({ since }: { since: number }) {
  const seconds = useClock((now) => Math.floor((now - since) / 1_000));
  if (seconds < 2) return null;
  return <span className="tabular-nums">{seconds} s</span>;
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
  stored?: TextFormProps["stored"];
  /** What is shown first of a kind that has a form. */
  opensAs?: "form" | "text";
  /** What the button says that saves what was reviewed, at rest and while it works. */
  action: string;
  busyAction?: string;
  onSaved: (documents: readonly SavedDocument[]) => void;
  /** Above the editor, and at the left of the buttons. */
  above?: ReactNode;
  /** Above the text alone. */
  aboveText?: ReactNode;
  buttons?: ReactNode;
}

type View = "form" | "text";
const codecOf = (first: View) => ({
  parse: (raw: Record<string, string | undefined>): { view: View } => ({
    view: raw["editor"] === "form" || raw["editor"] === "text" ? raw["editor"] : first,
  }),
  format: ({ view }: { view: View }) => ({ editor: view === first ? undefined : view }),
});
const codecs = { form: codecOf("form"), text: codecOf("text") };
/** On a phone what was found lies below the form. */
const comeIntoView = (found: HTMLElement | null) => found?.scrollIntoView({ block: "nearest" });

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
    /** Others of the text are bad: nothing of it can be saved. */
    isPart?: true;
  } | null>(null);
  const { text, initial } = draft;
  const [{ view }, changeView] = useUrlState(codecs[props.opensAs ?? "text"]);
  // Of several kinds none is what the whole text is.
  const only = kinds.length === 1 ? kinds[0] : undefined;
  const showsForm = view === "form" && only?.loadForm !== undefined;
  const showView = (next: View) => changeView({ view: next }, { replace: true });
  const [isTried, setIsTried] = useState(false);
  const [offset, setOffset] = useState(0);
  const [place, setPlace] = useState<TextPlace | null>(null);
  const onGo = (to: TextPlace) => {
    showView("text");
    setPlace({ ...to });
  };
  // What was written since, here or by others, is not what was reviewed.
  const current = reviewed?.text === text && reviewed.initial === initial ? reviewed : null;
  const maySave =
    current !== null &&
    !current.isPart &&
    current.documents.some(({ outcome }) => outcome !== "unchanged");
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
    setRefusal({ ...refusalOf("Nothing was saved", error), of: text });
  };
  const onReview = () => {
    if (isBusy) return;
    start();
    review.mutate(text, {
      onError: (error) => {
        onError(error);
        const good = goodOnesIn(error);
        if (good) setReviewed({ text, initial, ...good, isPart: true });
      },
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
  /** Ends what is being tried, on the server as well. */
  const trying = useRef<AbortController>(null);
  useEffect(() => () => trying.current?.abort(), []);
  const onTry = () => {
    if (!trial || isBusy) return;
    start();
    const { signal } = (trying.current = new AbortController());
    attempt.mutate(id === undefined ? { text, signal } : { text, id, signal }, {
      onError: (error) => {
        if (!signal.aborted) setRefusal({ ...refusalOf(trial.refused, error), of: text });
      },
    });
  };

  const told = (refusal || attempt.data) && (
    <>
      {refusal && <Problems title={refusal.title} problems={refusal.problems} onGo={onGo} />}
      {attempt.data}
    </>
  );

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {only?.loadForm && (
        <Tabs
          label="Ways to edit"
          panelId={panelId}
          selected={showsForm ? "form" : "text"}
          onSelect={(tab) => showView(tab === "form" ? "form" : "text")}
          tabs={[
            { id: "form", label: "Form" },
            { id: "text", label: "YAML" },
          ]}
        />
      )}
      <div
        {...(only?.loadForm && { id: panelId, role: "tabpanel" })}
        className="flex min-h-0 flex-1 flex-col gap-3 overflow-auto p-4"
      >
        {props.above}
        {!showsForm && props.aboveText}
        {showsForm && only.loadForm ? (
          // What it needs of the language must not be there before the language itself: see `forbidEval`.
          language.data ? (
            <div className="flex gap-4 max-desk:flex-col">
              <div className="min-w-0 flex-1">
                <LazyGuest
                  load={only.loadForm}
                  props={{
                    text,
                    onChange: draft.change,
                    readOnly,
                    isTried,
                    onText: () => showView("text"),
                    ...(props.stored && { stored: props.stored }),
                    ...(refusal?.of === text && { refused: refusal.problems }),
                  }}
                  skeleton={<PageSkeleton />}
                  renderFailure={formFailure}
                />
              </div>
              {told && (
                <div
                  ref={comeIntoView}
                  className="sticky top-0 flex w-96 shrink-0 flex-col gap-3 self-start max-desk:static max-desk:w-full"
                >
                  {told}
                </div>
              )}
            </div>
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
        {!showsForm && told}
        {current && (
          <Outcomes
            documents={current.documents}
            notices={current.notices}
            isPart={current.isPart === true}
            onGo={onGo}
          />
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
                {attempt.isPending ? (
                  <>
                    {trial.busyLabel} <Passed since={attempt.submittedAt} />
                  </>
                ) : (
                  trial.label
                )}
              </Button>
            )}
            {attempt.isPending && <Button onClick={() => trying.current?.abort()}>Cancel</Button>}
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
                ? (props.busyAction ?? "Saving")
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
