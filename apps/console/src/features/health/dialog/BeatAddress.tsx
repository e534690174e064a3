import { Copy, HeartPulse } from "lucide-react";
import { useState } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import { Dialog } from "@mainstay/ui/Dialog.tsx";
import { copyText } from "@mainstay/ui/toasts.ts";
import { useNewBeatAddress } from "../mutations.ts";

/** Where a check that waits is called. Only its hash is stored, so it is shown once; a new one replaces the old. */
export function BeatAddress({ check }: { check: { id: string; name: string } }) {
  const [isOpen, setIsOpen] = useState(false);
  const address = useNewBeatAddress(check.id);
  const url = address.data?.url;
  const close = () => {
    setIsOpen(false);
    address.reset();
  };
  return (
    <>
      <Button icon={<HeartPulse size={14} strokeWidth={1.75} />} onClick={() => setIsOpen(true)}>
        Address
      </Button>
      {isOpen && (
        <Dialog
          title={`Make an address for ${check.name}?`}
          size="small"
          onClose={close}
          footer={
            url ? (
              <>
                <Button
                  icon={<Copy size={14} strokeWidth={1.75} />}
                  onClick={() => void copyText(url)}
                >
                  Copy
                </Button>
                <Button kind="primary" onClick={close}>
                  Done
                </Button>
              </>
            ) : (
              <>
                <Button onClick={close}>Cancel</Button>
                <Button
                  kind="primary"
                  disabled={address.isPending}
                  onClick={() => address.mutate()}
                >
                  {address.isPending ? "Making" : "Make address"}
                </Button>
              </>
            )
          }
        >
          {url ? (
            <div className="flex flex-col gap-2">
              <p className="m-0 text-sm">
                Call it with GET, or POST what it has to tell. It is shown this once; keep it where
                it is called from.
              </p>
              <code className="font-mono text-sm break-all select-all">{url}</code>
            </div>
          ) : (
            <p className="m-0 text-sm">
              Whatever calls the address of this check tells that it is alive. Making one ends the
              one that was made before: what still calls that will not be heard.
            </p>
          )}
        </Dialog>
      )}
    </>
  );
}
