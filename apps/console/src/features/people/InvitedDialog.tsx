import { Copy } from "lucide-react";
import { Button } from "@mainstay/ui/Button.tsx";
import { Dialog } from "@mainstay/ui/Dialog.tsx";
import { copyText } from "@mainstay/ui/toasts.ts";
import type { Invited } from "./queries.ts";

/** The link of an invitation, to be handed over; it is shown this once. */
export function InvitedDialog({
  invited,
  onClose,
}: {
  invited: Invited & { name: string };
  onClose: () => void;
}) {
  return (
    <Dialog
      title={`${invited.name} is invited`}
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
            onClick={() => void copyText(invited.link)}
          >
            Copy link
          </Button>
        </>
      }
    >
      <p className="m-0 text-sm">
        {invited.mailed === true
          ? "An e-mail with this link is on its way. It can also be handed over:"
          : "Hand over this link. It is shown only now, works once, and whoever opens it chooses the password:"}
      </p>
      <input
        readOnly
        aria-label="Link of the invitation"
        value={invited.link}
        onFocus={(event) => event.target.select()}
        className="field w-full font-mono text-xs"
      />
    </Dialog>
  );
}
