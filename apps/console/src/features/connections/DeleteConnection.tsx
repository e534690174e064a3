import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Confirm } from "@mainstay/ui/Confirm.tsx";
import { toastDone } from "@mainstay/ui/toasts.ts";
import { messageOf } from "#lib/api-error.ts";
import { ConnectionUses } from "./ConnectionUses.tsx";
import { useConnectionChanges } from "./mutations.ts";
import { connectionQueries, type ListedConnection } from "./queries.ts";

export function DeleteConnection({
  connection,
  onDeleted,
  onClose,
}: {
  connection: ListedConnection;
  onDeleted: () => void;
  onClose: () => void;
}) {
  const { remove } = useConnectionChanges();
  const { data } = useQuery(connectionQueries.uses(connection.id));
  const [refusal, setRefusal] = useState<string>();
  return (
    <Confirm
      title={`Delete ${connection.name}?`}
      action={remove.isPending ? "Deleting" : "Delete"}
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => {
        setRefusal(undefined);
        remove.mutate(connection, {
          onError: (error) => setRefusal(messageOf(error)),
          onSuccess: () => {
            toastDone("Connection deleted successfully");
            onDeleted();
          },
        });
      }}
    >
      <div className="flex flex-col gap-3">
        <p className="m-0 text-sm">
          Its address and its secrets go with it.
          {data &&
            data.uses.length > 0 &&
            " What uses it fails from then on, until it names another:"}
        </p>
        <ConnectionUses id={connection.id} />
        {refusal !== undefined && (
          <p role="alert" className="m-0 text-sm break-words text-unhealthy-fg">
            {refusal}
          </p>
        )}
      </div>
    </Confirm>
  );
}
