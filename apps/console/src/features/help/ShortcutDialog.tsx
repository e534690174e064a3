import { Dialog } from "@mainstay/ui/Dialog.tsx";
import { ShortcutTable } from "./ShortcutTable.tsx";

export function ShortcutDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" size="small" onClose={onClose}>
      <ShortcutTable />
    </Dialog>
  );
}
