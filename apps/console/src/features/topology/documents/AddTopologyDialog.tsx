import { useRouter } from "@tanstack/react-router";
import { Dialog } from "@mainstay/ui/Dialog.tsx";
import { toastDone } from "@mainstay/ui/toasts.ts";
import { TextEditor } from "#lib/documents/TextEditor.tsx";
import { paths } from "#lib/paths.ts";
import { useDraft } from "#lib/use-draft.ts";
import { topologyKind } from "../topology-kind.ts";
import { begunTopology } from "./begun-topology.ts";
import { proposedDraft } from "./proposed-draft.ts";

const kinds = [topologyKind];

/** A new topology, from a document: from the beginning, or from what was proposed. */
export function AddTopologyDialog({
  onClose,
  isProposed = false,
}: {
  onClose: () => void;
  isProposed?: boolean;
}) {
  const { history } = useRouter();
  const draft = useDraft(isProposed ? proposedDraft : "add-topology", begunTopology);
  return (
    <Dialog
      title="Add topology"
      size="large"
      keepOpenOnOutsidePress
      helpLink={paths.help()}
      onClose={onClose}
      bodyClassName="p-0"
    >
      <div className="flex h-[76vh] shrink-0 grow flex-col">
        <TextEditor
          label="Topology document"
          draft={draft}
          isNew
          opensAs="form"
          kinds={kinds}
          readOnly={false}
          trial={topologyKind.trial}
          action="Save"
          onSaved={([saved]) => {
            const id = saved?.id;
            toastDone(
              `${saved?.name ?? "The topology"} saved`,
              id === undefined
                ? undefined
                : { label: "Open", onSelect: () => history.push(paths.topologyDocument(id)) },
            );
            onClose();
          }}
        />
      </div>
    </Dialog>
  );
}
