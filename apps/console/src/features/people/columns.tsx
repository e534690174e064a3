import { Avatar } from "@mainstay/ui/Avatar.tsx";
import { Badge } from "@mainstay/ui/Badge.tsx";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { ageColumn, nameColumn } from "@mainstay/ui/list-table/stock-columns.tsx";
import type { User } from "./queries.ts";

// Only what is out of the ordinary stands out.
export const state = (user: User) =>
  user.state === "active" ? (
    <span className="text-muted">{user.state}</span>
  ) : (
    <Badge tone={user.state === "invited" ? "info" : "warning"}>{user.state}</Badge>
  );

/** Badges that fit beside each other in the column. */
const shownRoles = 2;
const roleBadges = ({ roles }: User) => (
  <span className="flex min-w-0 gap-1 overflow-hidden" data-tooltip={roles.join(", ")}>
    {roles.slice(0, shownRoles).map((role) => (
      <Badge key={role}>{role}</Badge>
    ))}
    {roles.length > shownRoles && <Badge>+{roles.length - shownRoles}</Badge>}
  </span>
);

export const columns: readonly Column<User>[] = [
  nameColumn({ mark: ({ name }) => <Avatar name={name} size={20} /> }),
  {
    id: "email",
    header: "Email",
    width: 240,
    minWidth: 150,
    sortable: true,
    value: ({ email }) => email,
    renderCell: ({ email }) => (
      <span className="truncate" data-tooltip={email}>
        {email}
      </span>
    ),
  },
  {
    id: "roles",
    header: "Roles",
    width: 220,
    minWidth: 150,
    sortable: true,
    value: ({ roles }) => roles.join(),
    renderCell: roleBadges,
  },
  {
    id: "state",
    header: "State",
    width: 100,
    minWidth: 84,
    sortable: true,
    value: (user) => user.state,
    renderCell: state,
  },
  ageColumn("created_at", "Created At"),
];
