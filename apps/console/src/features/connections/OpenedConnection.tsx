import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ConnectionType } from "@mainstay/contract/connections/connection-type.ts";
import { connectionType } from "@mainstay/contract/connections/connection-types.ts";
import { Dialog } from "@mainstay/ui/Dialog.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { messageOf } from "#lib/api-error.ts";
import { ConnectionDialog, type ConnectionDialogProps } from "./ConnectionDialog.tsx";
import { type Connection, connectionQueries } from "./queries.ts";

/** A type that this console does not know: its name and namespace are all that there is a form for. */
const unknownType = (type: string): ConnectionType => ({
  type,
  label: type,
  help: "There is no form for this type. Change it as a document.",
  kind: "connection",
  fields: [],
});

/** A new one of a type. */
export function NewConnection({
  type,
  ...dialog
}: { type: string } & Omit<ConnectionDialogProps, "type" | "stored" | "isGone">) {
  return (
    <ConnectionDialog {...dialog} type={connectionType(type) ?? unknownType(type)} stored={null} />
  );
}

/** The connection that the address names. */
export function OpenedConnection({
  id,
  ...dialog
}: { id: string } & Omit<ConnectionDialogProps, "type" | "stored" | "isGone" | "onBack">) {
  const { data, error, refetch } = useQuery(connectionQueries.one(id));
  // One that is deleted while it is open stays to be read, with what was typed.
  const [known, setKnown] = useState<Connection>();
  if (data && data !== known) setKnown(data);
  const stored = data ?? (known?.id === id ? known : undefined);
  if (stored)
    return (
      <ConnectionDialog
        key={stored.id}
        {...dialog}
        type={connectionType(stored.type) ?? unknownType(stored.type)}
        stored={stored}
        isGone={data === null}
      />
    );
  return (
    <Dialog title="Connection" size="medium" onClose={dialog.onClose}>
      {dialog.children}
      {data === null ? (
        <EmptyState title="There is no such connection">
          It was deleted, or the link is wrong.
        </EmptyState>
      ) : error ? (
        <ErrorDisplay
          title="The connection could not be loaded"
          message={messageOf(error)}
          onRetry={() => void refetch()}
        />
      ) : (
        <output className="flex min-h-64 flex-col gap-3">
          <span className="sr-only">Loading</span>
          <span className="skeleton block h-7" />
          <span className="skeleton block h-7" />
          <span className="skeleton block h-7" />
        </output>
      )}
    </Dialog>
  );
}
