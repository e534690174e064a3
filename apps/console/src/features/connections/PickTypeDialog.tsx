import type { ConnectionType } from "@mainstay/contract/connections/connection-type.ts";
import { connectionTypes } from "@mainstay/contract/connections/connection-types.ts";
import { TypeGrid } from "@mainstay/ui/choice/TypeGrid.tsx";
import { Dialog } from "@mainstay/ui/Dialog.tsx";
import { Icon } from "@mainstay/ui/Icon.tsx";

const offered = (kind: ConnectionType["kind"]) =>
  connectionTypes
    .filter((one) => one.kind === kind && one.hidden !== true)
    .map(({ type, label, help }) => ({
      value: type,
      label,
      help,
      icon: <Icon name={type} />,
    }));
const groups = [
  { label: "Connections", items: offered("connection") },
  { label: "Notifications", items: offered("notification") },
];

/** What the new connection leads to. */
export function PickTypeDialog({
  onPick,
  onClose,
}: {
  onPick: (type: string) => void;
  onClose: () => void;
}) {
  return (
    <Dialog title="Add connection" size="large" keepOpenOnOutsidePress onClose={onClose}>
      <TypeGrid noun="connection type" groups={groups} onChoose={onPick} />
    </Dialog>
  );
}
