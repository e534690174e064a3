import { useQuery } from "@tanstack/react-query";
import { MoreHorizontal, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { Age } from "@mainstay/ui/Age.tsx";
import { Avatar } from "@mainstay/ui/Avatar.tsx";
import { Badge } from "@mainstay/ui/Badge.tsx";
import { IconButton } from "@mainstay/ui/Button.tsx";
import { Confirm } from "@mainstay/ui/Confirm.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { Menu } from "@mainstay/ui/Menu.tsx";
import { toastDone, toastFailed } from "@mainstay/ui/toasts.ts";
import { messageOf } from "#lib/api-error.ts";
import { type ListColumn, ListPage } from "#lib/ListPage.tsx";
import { useAccess } from "#lib/use-access.ts";
import { InvitedDialog } from "./InvitedDialog.tsx";
import { type Invited, type User, usersQuery, useUserChanges } from "./queries.ts";
import { UserDialog } from "./UserDialog.tsx";

type Open =
  | { kind: "invite" }
  | { kind: "invited"; invited: Invited & { name: string } }
  | { kind: "edit" | "delete"; user: User };

const state = (user: User) => (
  <Badge tone={user.state === "active" ? "healthy" : "unknown"}>{user.state}</Badge>
);
const roleBadges = (user: User) => (
  <span className="flex min-w-0 gap-1 overflow-hidden">
    {user.roles.map((role) => (
      <Badge key={role}>{role}</Badge>
    ))}
  </span>
);

const columns: readonly ListColumn<User>[] = [
  {
    id: "name",
    header: "Name",
    minWidth: 180,
    hideable: false,
    sortBy: ({ name }) => name,
    renderCell: ({ name }) => (
      <span className="flex min-w-0 items-center gap-2">
        <Avatar name={name} size={20} />
        <span className="truncate">{name}</span>
      </span>
    ),
  },
  {
    id: "email",
    header: "Email",
    width: 240,
    sortBy: ({ email }) => email,
    renderCell: ({ email }) => email,
  },
  {
    id: "roles",
    header: "Roles",
    width: 220,
    sortBy: ({ roles }) => roles.join(),
    renderCell: roleBadges,
  },
  { id: "state", header: "State", width: 100, sortBy: (user) => user.state, renderCell: state },
  {
    id: "created_at",
    header: "Created At",
    width: 110,
    sortBy: ({ created_at }) => created_at,
    renderCell: ({ created_at }) => <Age at={created_at} />,
  },
];

export function UsersPage() {
  const [open, setOpen] = useState<Open | null>(null);
  const mayWrite = useAccess().may("write", "identities");
  const { remove } = useUserChanges();
  const close = () => setOpen(null);

  const rowMenu = (user: User) => (
    <span role="presentation" onClick={(event) => event.stopPropagation()}>
      <Menu
        label={`Actions for ${user.name}`}
        entries={[
          {
            kind: "action",
            label: "Edit User",
            icon: <Pencil size={14} strokeWidth={1.75} />,
            onSelect: () => setOpen({ kind: "edit", user }),
          },
          {
            kind: "action",
            label: "Delete",
            icon: <Trash2 size={14} strokeWidth={1.75} />,
            onSelect: () => setOpen({ kind: "delete", user }),
          },
        ]}
        renderTrigger={(trigger) => (
          <IconButton
            label={`Actions for ${user.name}`}
            icon={<MoreHorizontal size={16} strokeWidth={1.75} />}
            {...trigger}
          />
        )}
      />
    </span>
  );

  return (
    <ListPage
      crumbs={[{ label: "Settings" }, { label: "Users" }]}
      noun="users"
      query={useQuery(usersQuery)}
      columns={
        mayWrite
          ? [
              ...columns,
              {
                id: "actions",
                header: "Actions",
                hideHeader: true,
                width: 52,
                hideable: false,
                renderCell: rowMenu,
              },
            ]
          : columns
      }
      rowId={({ id }) => id}
      searchIn={({ name, email, roles }) => `${name} ${email} ${roles.join(" ")}`}
      {...(mayWrite ? { onOpen: (user: User) => setOpen({ kind: "edit", user }) } : {})}
      create={
        mayWrite ? { label: "Invite User", onCreate: () => setOpen({ kind: "invite" }) } : undefined
      }
      storageKey="users"
      renderPhoneRow={(user) => (
        <span className="flex min-w-0 flex-col">
          <span className="flex justify-between gap-2">
            <span className="truncate font-medium">{user.name}</span>
            {state(user)}
          </span>
          <span className="flex justify-between gap-2 text-xs text-muted">
            <span className="truncate">{user.email}</span>
            {user.roles.join(", ")}
          </span>
        </span>
      )}
      empty={
        <EmptyState title="No data available">Nobody matches what is searched for.</EmptyState>
      }
    >
      {open?.kind === "invite" && (
        <UserDialog
          user={null}
          onClose={close}
          onDelete={close}
          onInvited={(invited) => setOpen({ kind: "invited", invited })}
        />
      )}
      {open?.kind === "edit" && (
        <UserDialog
          user={open.user}
          onClose={close}
          onInvited={close}
          onDelete={(user) => setOpen({ kind: "delete", user })}
        />
      )}
      {open?.kind === "invited" && <InvitedDialog invited={open.invited} onClose={close} />}
      {open?.kind === "delete" && (
        <Confirm
          title={`Delete ${open.user.name}?`}
          action={remove.isPending ? "Deleting" : "Delete"}
          isBusy={remove.isPending}
          onClose={close}
          onConfirm={() =>
            remove.mutate(open.user, {
              onError: (failure) => toastFailed(messageOf(failure)),
              onSuccess: () => {
                toastDone("user deleted successfully");
                close();
              },
            })
          }
        >
          <p className="m-0 text-sm">
            {open.user.email} is signed out everywhere and cannot sign in again. What they made and
            wrote stays, with their name.
          </p>
        </Confirm>
      )}
    </ListPage>
  );
}
