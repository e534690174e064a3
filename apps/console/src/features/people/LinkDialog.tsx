import { Copy } from "lucide-react";
import { Button } from "@mainstay/ui/Button.tsx";
import { Dialog } from "@mainstay/ui/Dialog.tsx";
import { copyText } from "@mainstay/ui/toasts.ts";

export interface ShownLink {
  title: string;
  /** What it is for, and whether it was sent. */
  text: string;
  label: string;
  link: string;
}

/** A link to be handed over; it is shown this once. */
export function LinkDialog({ shown, onClose }: { shown: ShownLink; onClose: () => void }) {
  return (
    <Dialog
      title={shown.title}
      size="small"
      onClose={onClose}
      keepOpenOnOutsidePress
      bodyClassName="gap-3 p-4"
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button
            kind="primary"
            icon={<Copy size={14} strokeWidth={1.75} />}
            onClick={() => void copyText(shown.link)}
          >
            Copy link
          </Button>
        </>
      }
    >
      <p className="m-0 text-sm">{shown.text}</p>
      <input
        readOnly
        aria-label={shown.label}
        value={shown.link}
        onFocus={(event) => event.target.select()}
        className="field w-full font-mono text-xs"
      />
    </Dialog>
  );
}
