import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ApiError } from "#lib/api-error.ts";
import { db, eq } from "#lib/db.ts";
import { sessionKey, useSession } from "#lib/use-access.ts";
import { patchSeen } from "#lib/use-edited.ts";
import { type Flag, flagsKey } from "./queries.ts";

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
