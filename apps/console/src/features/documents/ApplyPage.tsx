import { useRouter } from "@tanstack/react-router";
import { FolderUp, Upload } from "lucide-react";
import { type DragEvent, useRef, useState } from "react";
import { joinDocuments } from "@mainstay/contract/documents/document-texts.ts";
import { Button } from "@mainstay/ui/Button.tsx";
import { toastDone, toastFailed } from "@mainstay/ui/toasts.ts";
import { messageOf } from "#lib/api-error.ts";
import { useDocumentKinds } from "#lib/documents/document-kinds.ts";
import { PageBar } from "#lib/PageBar.tsx";
import { paths } from "#lib/paths.ts";
import { useAccess } from "#lib/use-access.ts";
import { useDraft } from "#lib/use-draft.ts";
import { TextEditor } from "#lib/documents/TextEditor.tsx";
import { filesIn, isDocumentFile } from "./dropped-files.ts";

const holdsFiles = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes("Files");

/** /settings/documents/apply: several documents, of any kinds, all of them or none. */
export function ApplyPage() {
  const router = useRouter();
  const access = useAccess();
  const kinds = useDocumentKinds();
  const writable = kinds.filter(({ resource }) => access.may("write", resource));
  const [first] = kinds;
  const whyNot = writable.length > 0 ? undefined : first && access.whyNot("write", first.resource);
  const readOnly = writable.length === 0;
  const draft = useDraft("apply-documents", "");
  const field = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);

  const add = async (given: Promise<readonly File[]>) => {
    try {
      const all = await given;
      const files = all.filter(isDocumentFile);
      const texts = await Promise.all(files.map((file) => file.text()));
      const told = [draft.text, ...texts].filter((text) => text.trim() !== "");
      if (files.length > 0) draft.change(joinDocuments(told));
      const others = all.length - files.length;
      if (others > 0)
        toastFailed(
          `${others === 1 ? "1 file was" : `${others} files were`} left out: only .yaml, .yml and .json hold documents.`,
        );
    } catch (error) {
      toastFailed(`A file could not be read: ${messageOf(error)}`);
    }
  };

  return (
    <div
      className="relative flex min-h-0 flex-1 flex-col"
      {...(!readOnly && {
        // Before the editor, which would put them where the cursor is.
        onDragOverCapture: (event) => {
          if (!holdsFiles(event)) return;
          event.preventDefault();
          event.stopPropagation();
          setIsOver(true);
        },
        onDragLeave: ({ currentTarget, relatedTarget }) =>
          setIsOver(relatedTarget instanceof Node && currentTarget.contains(relatedTarget)),
        onDropCapture: (event) => {
          if (!holdsFiles(event)) return;
          event.preventDefault();
          event.stopPropagation();
          setIsOver(false);
          void add(filesIn(event.dataTransfer));
        },
      })}
    >
      {isOver && (
        <p className="pointer-events-none absolute inset-2 z-20 m-0 flex items-center justify-center rounded-card border-2 border-dashed border-accent bg-surface/90 text-sm font-medium">
          Drop files or folders of documents
        </p>
      )}
      <PageBar
        crumbs={[
          { label: "Settings" },
          { label: "Documents", to: paths.documents() },
          { label: "Apply" },
        ]}
      />
      <TextEditor
        label="Documents"
        draft={draft}
        kinds={writable}
        readOnly={readOnly}
        action="Apply"
        onSaved={(documents) => {
          const [only] = documents.length === 1 ? documents : [];
          const kind = writable.find((one) => one.kind === only?.kind);
          const id = only?.id;
          toastDone(
            only ? "1 document applied" : `${documents.length} documents applied`,
            kind && id !== undefined
              ? {
                  label: "Open",
                  onSelect: () => router.history.push(paths.document(kind.name, id)),
                }
              : undefined,
          );
          router.history.push(paths.documents());
        }}
        above={
          <p className="m-0 text-sm text-muted" role={readOnly ? "status" : undefined}>
            {readOnly ? (
              (whyNot ?? "There is no kind of documents here.")
            ) : (
              <>
                Paste documents with <code className="font-mono whitespace-nowrap">---</code>{" "}
                between them, or drop files and folders here. All of them are applied or none is.
                What you type is kept until then.
              </>
            )}
          </p>
        }
        buttons={
          !readOnly && (
            <>
              <input
                ref={field}
                type="file"
                multiple
                hidden
                aria-label="Files of documents"
                accept=".yaml,.yml,.json"
                onChange={(event) => {
                  void add(Promise.resolve([...(event.target.files ?? [])]));
                  // So that the same file can be added again.
                  event.target.value = "";
                }}
              />
              <input
                ref={folder}
                type="file"
                multiple
                hidden
                aria-label="Folder of documents"
                {...{ webkitdirectory: "" }}
                onChange={(event) => {
                  void add(Promise.resolve([...(event.target.files ?? [])]));
                  event.target.value = "";
                }}
              />
              <Button
                icon={<Upload size={14} strokeWidth={1.75} />}
                onClick={() => field.current?.click()}
              >
                Add files
              </Button>
              <Button
                icon={<FolderUp size={14} strokeWidth={1.75} />}
                onClick={() => folder.current?.click()}
              >
                Add a folder
              </Button>
            </>
          )
        }
      />
    </div>
  );
}
