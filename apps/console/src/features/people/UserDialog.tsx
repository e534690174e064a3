import { useState } from "react";
import { type Role, roles } from "@mainstay/contract/permissions.ts";
import { CheckboxField, SelectField } from "@mainstay/ui/fields/ChoiceFields.tsx";
import { TextField } from "@mainstay/ui/fields/TextField.tsx";
import { toastDone } from "@mainstay/ui/toasts.ts";
import { messageOf } from "#lib/api-error.ts";
import { FormDialog } from "#lib/FormDialog.tsx";
import { GatedButton } from "#lib/GatedButton.tsx";
import { useSession } from "#lib/use-access.ts";
import { changedNotice, useEdited } from "#lib/use-edited.ts";
import { checkUser, type UserErrors } from "./check-user.ts";
import { type Invited, useUserChanges } from "./mutations.ts";
import type { User } from "./queries.ts";

const titles: Record<Role, string> = {
  admin: "Admin: everything",
  editor: "Editor: everything but users and connections",
  commander: "Commander: runs incidents, reads the rest",
  responder: "Responder: works on incidents, reads the rest",
  viewer: "Viewer: reads",
};

/** Document 3, section 6: the highest of these three is what the form starts with. */
const highest = (granted: readonly Role[]) =>
  (["admin", "editor", "viewer"] as const).find((role) => granted.includes(role)) ??
  granted[0] ??
  "";

interface UserForm {
  firstName: string;
  lastName: string;
  email: string;
  role: string;
  isActive: boolean;
  /** All of them, which `role` takes the place of. */
  roles: string;
}
const formOf = (user: User | null): UserForm => ({
  firstName: user?.first ?? "",
  lastName: user?.last ?? "",
  email: user?.email ?? "",
  role: user ? highest(user.roles) : "",
  isActive: user?.isActive ?? true,
  roles: user?.roles.join(", ") ?? "",
});
const labels = {
  firstName: "first name",
  lastName: "last name",
  email: "email",
  roles: "roles",
  isActive: "state",
};

const isSame = (one: string, other: string) => one.trim().toLowerCase() === other.toLowerCase();

export interface UserDialogProps {
  /** Nobody yet: an invitation. */
  user: User | null;
  /** Everybody there is, as they are now. */
  users: readonly User[];
  onDelete: (user: User) => void;
  onInvited: (invited: Invited & { name: string }) => void;
  onClose: () => void;
}

export function UserDialog({ user, users, onDelete, onInvited, onClose }: UserDialogProps) {
  const now = user && users.find(({ id }) => id === user.id);
  const isGone = user !== null && now === undefined;
  const [known, setKnown] = useState(user);
  if (now && now !== known) setKnown(now);
  const latest = now ?? known;
  const { values, change, changedMeanwhile } = useEdited(formOf(latest));
  const [errors, setErrors] = useState<UserErrors>({});
  const [refusal, setRefusal] = useState<string>();
  const { person } = useSession();
  const { invite, update, setRole } = useUserChanges();
  const isSelf = user !== null && user.id === person?.id;
  const there = user ? undefined : users.find(({ email }) => isSame(values.email, email));
  const isBusy = invite.isPending || update.isPending || setRole.isPending;
  const notice = isBusy ? undefined : changedNotice("user", changedMeanwhile, labels);

  const save = () => {
    setRefusal(undefined);
    const found = checkUser(
      there ? { ...values, firstName: there.name, lastName: there.name } : values,
      { isNew: user === null },
    );
    setErrors(found);
    if (Object.keys(found).length > 0) return;
    const role = values.role as Role;
    const input = {
      firstName: values.firstName.trim(),
      lastName: values.lastName.trim(),
      email: values.email.trim(),
      role,
    };
    const name = `${input.firstName} ${input.lastName}`.trim();
    const onError = (failure: Error) => setRefusal(messageOf(failure));
    const done = (text: string) => {
      toastDone(text);
      onClose();
    };
    if (latest)
      update.mutate(
        { ...input, id: latest.id, active: values.isActive, seen: latest },
        { onError, onSuccess: () => done(`${name} updated successfully`) },
      );
    else if (there)
      setRole.mutate(
        { id: there.id, role },
        { onError, onSuccess: () => done(`${there.name} updated successfully`) },
      );
    else
      invite.mutate(input, {
        onError,
        onSuccess: (invited) => {
          toastDone(`${name} invited successfully`);
          onInvited({ ...invited, name });
        },
      });
  };

  return (
    <FormDialog
      title={user ? "Edit User" : "Invite User"}
      action={user ? "Update" : there ? "Set role" : "Invite"}
      busyAction={user || there ? "Updating" : "Inviting"}
      isBusy={isBusy}
      error={refusal}
      locked={isGone ? "There is no such user; it may have been deleted." : undefined}
      onSubmit={save}
      onClose={onClose}
      footerStart={
        latest &&
        !isGone && (
          <GatedButton
            kind="danger"
            whyNot={isSelf ? "You cannot delete yourself." : undefined}
            onClick={() => onDelete(latest)}
          >
            Delete
          </GatedButton>
        )
      }
    >
      {notice !== undefined && !isGone && (
        <p role="status" className="m-0 rounded-control bg-info-bg p-2 text-sm text-info-fg">
          {notice}
        </p>
      )}
      <div className="flex gap-3 max-tablet:flex-col">
        <TextField
          label="First name"
          required
          className="flex-1"
          value={values.firstName}
          onChange={(firstName) => change({ firstName })}
          error={errors.firstName}
          autoComplete="off"
        />
        <TextField
          label="Last name"
          required
          className="flex-1"
          value={values.lastName}
          onChange={(lastName) => change({ lastName })}
          error={errors.lastName}
          autoComplete="off"
        />
      </div>
      <TextField
        label="Email"
        type="email"
        required
        value={values.email}
        onChange={(email) => change({ email })}
        error={errors.email}
        hint={
          there && `${there.name} is a user with this address already. Only the role will be set.`
        }
        autoComplete="off"
      />
      <SelectField
        label="Role"
        required
        placeholder="Choose a role"
        value={values.role}
        options={roles.map((value) => ({ value, label: titles[value] }))}
        onChange={(role) => change({ role })}
        error={errors.role}
        hint={rolesHint(latest ?? there)}
      />
      {user && (
        <CheckboxField
          label="Active"
          checked={values.isActive}
          disabled={isSelf}
          onChange={(isActive) => change({ isActive })}
          hint={
            isSelf
              ? "You cannot deactivate yourself."
              : "Who is not active is signed out and cannot sign in; their access tokens are refused."
          }
        />
      )}
    </FormDialog>
  );
}

const rolesHint = (user: User | null | undefined) =>
  user && user.roles.length > 1
    ? `Has ${user.roles.join(", ")} now; saving leaves the one that is chosen.`
    : undefined;
