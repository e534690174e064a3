import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { get } from "#lib/api.ts";
import { ApiError } from "#lib/api-error.ts";
import { db, eq } from "#lib/db.ts";
import { type Property, sessionKey, useSession } from "#lib/use-access.ts";
import { patchSeen } from "#lib/use-edited.ts";

/** A flag with who made it and when; a local one has neither. */
export interface Flag extends Property {
  created_by?: { id: string; name: string; avatar: string | null } | null;
  created_at?: string | null;
  updated_at?: string | null;
}

const flagsKey = ["settings", "flags"] as const;

/** F1: what is in force, with who made it and when. */
export const flagsQuery = queryOptions({
  queryKey: flagsKey,
  queryFn: ({ signal }) => get<Flag[]>("/api/properties", { signal }),
  staleTime: 0,
  meta: { tables: ["properties", "people"] },
});

/** F3 to F5. What is on and off is read again afterwards. */
export function useFlagChanges() {
  const client = useQueryClient();
  const { person } = useSession();
  // Also what was refused may have been because of what is not shown yet.
  const onSettled = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: flagsKey }),
      client.invalidateQueries({ queryKey: sessionKey }),
    ]);
  const meta = { speaksForItself: true };
  const author = person ? { created_by: person.id } : {};
  return {
    add: useMutation({
      meta,
      mutationFn: async ({ name, value }: { name: string; value: string }) => {
        try {
          return await db.insert("properties", { name, value, ...author });
        } catch (error) {
          if (!(error instanceof ApiError) || error.status !== 409) throw error;
          throw new ApiError(
            `There is a feature flag ${name} already. Close this and open it in the list to change it.`,
            { status: 409, request: error.request, cause: error },
          );
        }
      },
      onSettled,
    }),
    update: useMutation({
      meta,
      mutationFn: ({ value, seen }: { value: string; seen: Flag }) =>
        patchSeen("properties", {
          where: { name: eq(seen.name) },
          seen,
          changes: { name: seen.name, value, ...author },
          noun: "feature flag",
        }),
      onSettled,
    }),
    remove: useMutation({
      meta,
      mutationFn: ({ name }: { name: string }) => db.remove("properties", { name: eq(name) }),
      onSettled,
    }),
  };
}
