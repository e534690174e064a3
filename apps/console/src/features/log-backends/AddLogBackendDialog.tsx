import { useRouter } from "@tanstack/react-router";
import { Dialog } from "@mainstay/ui/Dialog.tsx";
import { toastDone } from "@mainstay/ui/toasts.ts";
import { TextEditor } from "#lib/documents/TextEditor.tsx";
import { paths } from "#lib/paths.ts";
import { useAccess } from "#lib/use-access.ts";
import { useDraft } from "#lib/use-draft.ts";
import { logBackendKind } from "./log-backend-kind.ts";

const kinds = [logBackendKind];

/** A new log backend, from a form or from a document. */
export function AddLogBackendDialog({ onClose }: { onClose: () => void }) {
  const { history } = useRouter();
  const draft = useDraft("add-log-backend", "");
  const whyNoCode = useAccess().whyNot("write", "server_code");
  return (
    <Dialog
      title="Add log backend"
      size="large"
      keepOpenOnOutsidePress
      helpLink={paths.help()}
      onClose={onClose}
      bodyClassName="p-0"
    >
      <div className="flex h-[76vh] shrink-0 grow flex-col">
        <TextEditor
          label="LoggingBackend document"
          draft={draft}
          isNew
          kinds={kinds}
          opensAs="form"
          readOnly={false}
          trial={logBackendKind.trial}
          action="Save"
          onSaved={([saved]) => {
            const id = saved?.id;
            toastDone(
              `${saved?.name ?? "The log backend"} saved`,
              id === undefined
                ? undefined
                : { label: "Open", onSelect: () => history.push(paths.logBackend(id)) },
            );
            onClose();
          }}
          above={
            whyNoCode !== undefined && (
              <p className="m-0 text-sm text-muted">
                Files and the journal of this machine need a permission of their own. {whyNoCode}
              </p>
            )
          }
        />
      </div>
    </Dialog>
  );
}
