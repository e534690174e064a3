import { useRouter } from "@tanstack/react-router";
import { Dialog } from "@mainstay/ui/Dialog.tsx";
import { toastDone } from "@mainstay/ui/toasts.ts";
import type { ConsoleDocumentKind } from "#lib/documents/document-kinds.ts";
import { TextEditor } from "#lib/documents/TextEditor.tsx";
import { paths } from "#lib/paths.ts";
import { useAccess } from "#lib/use-access.ts";
import { useDraft } from "#lib/use-draft.ts";
import { canaryKind } from "../canary-kind.ts";

/** The same text, begun with a type and a few fields. */
const newCanary: ConsoleDocumentKind = {
  ...canaryKind,
  loadForm: () => import("./form/NewCheckForm.tsx").then((module) => module.NewCheckForm),
};
const kinds = [newCanary];

/** A new check, from a form or from a document. */
export function AddCheckDialog({ onClose }: { onClose: () => void }) {
  const { history } = useRouter();
  const open = (to: string) => ({ label: "Open", onSelect: () => history.push(to) });
  const draft = useDraft("add-check", "");
  const whyNoCode = useAccess().whyNot("write", "server_code");
  return (
    <Dialog
      title="Add check"
      size="large"
      keepOpenOnOutsidePress
      helpLink={paths.help()}
      onClose={onClose}
      bodyClassName="p-0"
    >
      <div className="flex h-[76vh] shrink-0 grow flex-col">
        <TextEditor
          label="Canary document"
          draft={draft}
          isNew
          kinds={kinds}
          opensAs="form"
          readOnly={false}
          trial={canaryKind.trial}
          action="Save"
          onSaved={(documents) => {
            const [only] = documents.length === 1 ? documents : [];
            toastDone(
              only ? `${only.name} saved` : `${documents.length} documents saved`,
              only?.id === undefined ? undefined : open(paths.canary(only.id)),
            );
            onClose();
          }}
          aboveText={
            <p className="m-0 text-sm text-muted">
              Paste or write one Canary document, or several with{" "}
              <code className="font-mono whitespace-nowrap">---</code> between. What you type is
              kept until it is saved.
            </p>
          }
          above={
            whyNoCode !== undefined && (
              <p className="m-0 text-sm text-muted">
                Checks with programs, local folders or sockets need a permission of their own.{" "}
                {whyNoCode}
              </p>
            )
          }
        />
      </div>
    </Dialog>
  );
}
