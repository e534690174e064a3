import { useState } from "react";
import { type Role, roles } from "@mainstay/contract/permissions.ts";
import { Button } from "@mainstay/ui/Button.tsx";
import { CheckboxField, SelectField } from "@mainstay/ui/fields/ChoiceFields.tsx";
import { TextField } from "@mainstay/ui/fields/TextField.tsx";
import { toastDone } from "@mainstay/ui/toasts.ts";
import { messageOf } from "#lib/api-error.ts";
import { FormDialog } from "#lib/FormDialog.tsx";
import { useSession } from "#lib/use-access.ts";
import { checkUser, type UserErrors } from "./check-user.ts";
import { type Invited, type User, useUserChanges } from "./queries.ts";

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

export interface UserDialogProps {
  /** Nobody yet: an invitation. */
  user: User | null;
  onDelete: (user: User) => void;
  onInvited: (invited: Invited & { name: string }) => void;
  onClose: () => void;
}

export function UserDialog({ user, onDelete, onInvited, onClose }: UserDialogProps) {
  const [firstName, setFirstName] = useState(user?.first ?? "");
  const [lastName, setLastName] = useState(user?.last ?? "");
  const [email, setEmail] = useState(user?.email ?? "");
  const [role, setRole] = useState<string>(user ? highest(user.roles) : "");
  const [active, setActive] = useState(user ? user.state === "active" : true);
  const [errors, setErrors] = useState<UserErrors>({});
  const [refusal, setRefusal] = useState<string>();
  const { person } = useSession();
  const { invite, update } = useUserChanges();
  const isSelf = user !== null && user.id === person?.id;

  const save = () => {
    setRefusal(undefined);
    const found = checkUser({ firstName, lastName, email, role });
    setErrors(found);
    if (Object.keys(found).length > 0) return;
    const input = {
      firstName: firstName.trim(),
      lastName: lastName.trim(),
      email: email.trim(),
      role: role as Role,
    };
    const name = `${input.firstName} ${input.lastName}`;
    const onError = (failure: Error) => setRefusal(messageOf(failure));
    if (user)
      update.mutate(
        { ...input, id: user.id, active },
        {
          onError,
          onSuccess: () => {
            toastDone(`${name} updated successfully`);
            onClose();
          },
        },
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
      action={user ? "Update" : "Invite"}
      busyAction={user ? "Updating" : "Inviting"}
      isBusy={invite.isPending || update.isPending}
      error={refusal}
      onSubmit={save}
      onClose={onClose}
      footerStart={
        user && (
          <Button kind="danger" disabled={isSelf} onClick={() => onDelete(user)}>
            Delete
          </Button>
        )
      }
    >
      <div className="flex gap-3 max-tablet:flex-col">
        <TextField
          label="First name"
          required
          className="flex-1"
          value={firstName}
          onChange={setFirstName}
          error={errors.firstName}
          autoComplete="off"
          maxLength={100}
        />
        <TextField
          label="Last name"
          required
          className="flex-1"
          value={lastName}
          onChange={setLastName}
          error={errors.lastName}
          autoComplete="off"
          maxLength={100}
        />
      </div>
      <TextField
        label="Email"
        type="email"
        required
        value={email}
        onChange={setEmail}
        error={errors.email}
        autoComplete="off"
        maxLength={320}
      />
      <SelectField
        label="Role"
        required
        placeholder="Choose a role"
        value={role}
        options={roles.map((value) => ({ value, label: titles[value] }))}
        onChange={setRole}
        error={errors.role}
        hint={
          user && user.roles.length > 1
            ? `Has ${user.roles.join(", ")} now; saving leaves the one that is chosen.`
            : undefined
        }
      />
      {user && (
        <CheckboxField
          label="Active"
          checked={active}
          disabled={isSelf}
          onChange={setActive}
          hint={isSelf ? "You cannot deactivate yourself." : "Who is not active cannot sign in."}
        />
      )}
    </FormDialog>
  );
}
