import { useRouter } from "@tanstack/react-router";
import { Upload } from "lucide-react";
import { useRef } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import { toastDone, toastFailed } from "@mainstay/ui/toasts.ts";
import { messageOf } from "#lib/api-error.ts";
import { useDocumentKinds } from "#lib/documents/document-kinds.ts";
import { PageBar } from "#lib/PageBar.tsx";
import { paths } from "#lib/paths.ts";
import { useAccess } from "#lib/use-access.ts";
import { useDraft } from "#lib/use-draft.ts";
import { TextEditor } from "#lib/documents/TextEditor.tsx";

/** Texts of files one after the other, each a document of its own at least. */
const joined = (texts: readonly string[]): string =>
  texts
    .map((text) => text.trim())
    .filter((text) => text !== "")
    .map((text) => `${text}\n`)
    .join("---\n");

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

  const add = async (files: readonly File[]) => {
    try {
      const texts = await Promise.all(files.map((file) => file.text()));
      draft.change(joined([draft.text, ...texts]));
    } catch (error) {
      toastFailed(`A file could not be read: ${messageOf(error)}`);
    }
  };

  return (
    <>
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
          toastDone(
            documents.length === 1 ? "1 document applied" : `${documents.length} documents applied`,
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
                between them, or add files. All of them are applied or none is. What you type is
                kept until then.
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
                  void add([...(event.target.files ?? [])]);
                  // So that the same file can be added again.
                  event.target.value = "";
                }}
              />
              <Button
                icon={<Upload size={14} strokeWidth={1.75} />}
                onClick={() => field.current?.click()}
              >
                Add files
              </Button>
            </>
          )
        }
      />
    </>
  );
}
