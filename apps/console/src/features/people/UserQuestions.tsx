import { Confirm } from "@mainstay/ui/Confirm.tsx";
import { toastDone } from "@mainstay/ui/toasts.ts";
import { useUserChanges } from "./mutations.ts";
import type { User } from "./queries.ts";

interface QuestionProps {
  user: User;
  onClose: () => void;
}

export function DeleteUser({ user, onClose }: QuestionProps) {
  const { remove } = useUserChanges();
  return (
    <Confirm
      title={`Delete ${user.name}?`}
      action={remove.isPending ? "Deleting" : "Delete"}
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(user, {
          onSuccess: () => {
            toastDone("user deleted successfully");
            onClose();
          },
        })
      }
    >
      <p className="m-0 text-sm break-words">
        {user.email} is signed out everywhere and cannot sign in again; their access tokens are
        refused. What they made and wrote stays, with their name.
      </p>
    </Confirm>
  );
}

export function ResetSecondFactor({ user, onClose }: QuestionProps) {
  const { resetSecondFactor } = useUserChanges();
  return (
    <Confirm
      title={`Reset the second factor of ${user.name}?`}
      action={resetSecondFactor.isPending ? "Resetting" : "Reset"}
      isBusy={resetSecondFactor.isPending}
      onClose={onClose}
      onConfirm={() =>
        resetSecondFactor.mutate(user, {
          onSuccess: ({ removed }) => {
            toastDone(
              removed.length === 0
                ? `${user.name} has no second factor`
                : `Second factor of ${user.name} reset`,
            );
            onClose();
          },
        })
      }
    >
      <p className="m-0 text-sm">
        For somebody who has lost every second factor: they are signed out everywhere, sign in with
        the first one alone, and set up others in their profile.
      </p>
    </Confirm>
  );
}
