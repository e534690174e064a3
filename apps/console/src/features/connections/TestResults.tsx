import { CodeView } from "@mainstay/ui/code-view/CodeView.tsx";
import { Dialog } from "@mainstay/ui/Dialog.tsx";

/** What the other side had against a connection. */
export function TestResults({
  name,
  text,
  isJson,
  onClose,
}: {
  name: string;
  text: string;
  isJson: boolean;
  onClose: () => void;
}) {
  return (
    <Dialog title={`Test of ${name}`} size="medium" onClose={onClose}>
      {isJson ? (
        <div className="flex max-h-[60vh] min-h-40 flex-col">
          <CodeView label="Result" text={text} language="json" />
        </div>
      ) : (
        <p role="alert" className="m-0 text-sm break-words whitespace-pre-wrap">
          {text}
        </p>
      )}
    </Dialog>
  );
}
