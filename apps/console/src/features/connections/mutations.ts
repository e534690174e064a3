import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ConnectionValues } from "@mainstay/contract/connections/connection-type.ts";
import { consoleSource } from "@mainstay/contract/sources.ts";
import { post } from "#lib/api.ts";
import { db, eq } from "#lib/db.ts";
import { useSession } from "#lib/use-access.ts";
import { patchSeen } from "#lib/use-edited.ts";
import { type Connection, connectionsKey } from "./queries.ts";

export type ConnectionInput = { name: string; namespace: string } & ConnectionValues;

/** X4, X5 and CN1. A connection is deleted by a date. */
export function useConnectionChanges() {
  const client = useQueryClient();
  const { person } = useSession();
  // Also what was refused may have been because of what is not shown yet.
  const onSettled = () => client.invalidateQueries({ queryKey: connectionsKey });
  const meta = { speaksForItself: true };
  return {
    add: useMutation({
      meta,
      mutationFn: ({ type, input }: { type: string; input: ConnectionInput }) =>
        db.insert("connections", {
          type,
          ...columns(input),
          source: consoleSource,
          created_by: person?.id ?? null,
        }),
      onSettled,
    }),
    update: useMutation({
      meta,
      mutationFn: ({ input, seen }: { input: ConnectionInput; seen: Connection }) =>
        patchSeen("connections", {
          where: { id: eq(seen.id) },
          seen,
          changes: columns(input),
          noun: "connection",
        }),
      onSettled,
    }),
    remove: useMutation({
      meta,
      mutationFn: ({ id }: { id: string }) =>
        db.patch("connections", { id: eq(id) }, { deleted_at: "now()" }),
      onSettled: () => void onSettled(),
    }),
  };
}

const orNull = (text: string | undefined) => (text === undefined || text === "" ? null : text);

/** Columns that hold nothing are null. */
const columns = ({ url, username, password, certificate, ...rest }: ConnectionInput) => ({
  ...rest,
  insecure_tls: rest.insecure_tls === true,
  url: orNull(url),
  username: orNull(username),
  password: orNull(password),
  certificate: orNull(certificate),
});

/** A try connects to what may be slow to refuse. */
const testTimeoutMs = 90_000;

export function useTestConnection() {
  return useMutation({
    meta: { speaksForItself: true },
    mutationFn: ({ id }: { id: string }) =>
      post<{ message?: string }>(`/api/connection/test/${encodeURIComponent(id)}`, undefined, {
        timeoutMs: testTimeoutMs,
      }),
  });
}
