import { useQuery } from "@tanstack/react-query";
import { Link2, Pencil, ShieldOff, Trash2 } from "lucide-react";
import { Suspense, useState } from "react";
import { momentText } from "@mainstay/ui/Age.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { RowMenu } from "@mainstay/ui/list-table/RowMenu.tsx";
import { actionsColumn } from "@mainstay/ui/list-table/stock-columns.tsx";
import type { MenuEntry } from "@mainstay/ui/Menu.tsx";
import { ListPage } from "#lib/ListPage.tsx";
import { useAccess, useSession } from "#lib/use-access.ts";
import { LinkDialog, type ShownLink } from "./LinkDialog.tsx";
import { type Invited, useUserChanges } from "./mutations.ts";
import { type User, usersQuery } from "./queries.ts";
import { columns, state } from "./columns.tsx";
import { DeleteUser, ResetSecondFactor } from "./UserQuestions.tsx";

const UserDialog = lazyPart(() => import("./UserDialog.tsx").then((module) => module.UserDialog));

type Open =
  | { kind: "invite" }
  | { kind: "link"; shown: ShownLink }
  | { kind: "edit" | "reset" | "delete"; user: User };

const invitedLink = ({ name, link, mailed }: Invited & { name: string }): ShownLink => ({
  title: `${name} is invited`,
  text:
    mailed === true
      ? "An e-mail with this link is on its way. It can also be handed over:"
      : "Hand over this link. It is shown only now, works once, and whoever opens it chooses the password:",
  label: "Link of the invitation",
  link,
});

export function UsersPage() {
  const [open, setOpen] = useState<Open | null>(null);
  const mayWrite = useAccess().may("write", "identities");
  const { person } = useSession();
  const { makeLink } = useUserChanges();
  const query = useQuery(usersQuery);
  const close = () => setOpen(null);

  const showLink = (user: User) =>
    makeLink.mutate(user, {
      onSuccess: ({ link, expires_at }) =>
        setOpen({
          kind: "link",
          shown: {
            title: `Sign-in link for ${user.name}`,
            text: `Hand over this link. It is shown only now, works once, until ${momentText(Date.parse(expires_at))}, and whoever opens it chooses a new password:`,
            label: "Sign-in link",
            link,
          },
        }),
    });
  const entriesOf = (user: User): MenuEntry[] => [
    {
      kind: "action",
      label: "Edit User",
      icon: <Pencil size={14} strokeWidth={1.75} />,
      onSelect: () => setOpen({ kind: "edit", user }),
    },
    {
      kind: "action",
      label: "New sign-in link",
      icon: <Link2 size={14} strokeWidth={1.75} />,
      disabled: user.state === "inactive" || makeLink.isPending,
      onSelect: () => showLink(user),
    },
    {
      kind: "action",
      label: "Reset second factor",
      icon: <ShieldOff size={14} strokeWidth={1.75} />,
      onSelect: () => setOpen({ kind: "reset", user }),
    },
    {
      kind: "action",
      label: "Delete",
      icon: <Trash2 size={14} strokeWidth={1.75} />,
      disabled: user.id === person?.id,
      onSelect: () => setOpen({ kind: "delete", user }),
    },
  ];
  const rowMenu = (user: User) => <RowMenu name={user.name} entries={entriesOf(user)} />;

  return (
    <ListPage
      crumbs={[{ label: "Settings" }, { label: "Users" }]}
      noun="users"
      query={query}
      columns={mayWrite ? [...columns, actionsColumn(rowMenu)] : columns}
      rowId={({ id }) => id}
      searchIn={({ name, email, roles }) => `${name} ${email} ${roles.join(" ")}`}
      {...(mayWrite ? { onOpen: (user: User) => setOpen({ kind: "edit", user }) } : {})}
      create={
        mayWrite ? { label: "Invite User", onCreate: () => setOpen({ kind: "invite" }) } : undefined
      }
      storageKey="users"
      renderPhoneRow={(user) => (
        <span className="flex min-w-0 items-center gap-2">
          <span className="flex min-w-0 flex-1 flex-col">
            <span className="flex justify-between gap-2">
              <bdi className="truncate font-medium">{user.name}</bdi>
              {state(user)}
            </span>
            <span className="flex justify-between gap-2 text-xs text-muted">
              <span className="truncate">{user.email}</span>
              <span className="max-w-1/2 shrink-0 truncate">{user.roles.join(", ")}</span>
            </span>
          </span>
          {mayWrite && rowMenu(user)}
        </span>
      )}
      empty={<EmptyState title="No data available">Nobody can sign in here.</EmptyState>}
    >
      <Suspense>
        {open?.kind === "invite" && (
          <UserDialog
            user={null}
            users={query.data ?? []}
            onClose={close}
            onDelete={close}
            onInvited={(invited) => setOpen({ kind: "link", shown: invitedLink(invited) })}
          />
        )}
        {open?.kind === "edit" && (
          <UserDialog
            user={open.user}
            users={query.data ?? []}
            onClose={close}
            onInvited={close}
            onDelete={(user) => setOpen({ kind: "delete", user })}
          />
        )}
      </Suspense>
      {open?.kind === "link" && <LinkDialog shown={open.shown} onClose={close} />}
      {open?.kind === "reset" && <ResetSecondFactor user={open.user} onClose={close} />}
      {open?.kind === "delete" && <DeleteUser user={open.user} onClose={close} />}
    </ListPage>
  );
}
