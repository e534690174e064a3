import { Age } from "@mainstay/ui/Age.tsx";
import { Avatar } from "@mainstay/ui/Avatar.tsx";
import { Badge } from "@mainstay/ui/Badge.tsx";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import type { User } from "./queries.ts";

// Only what is out of the ordinary stands out.
export const state = (user: User) =>
  user.state === "active" ? (
    <span className="text-muted">{user.state}</span>
  ) : (
    <Badge tone="warning">{user.state}</Badge>
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
  {
    id: "name",
    header: "Name",
    minWidth: 180,
    hideable: false,
    sortable: true,
    value: ({ name }) => name,
    renderCell: ({ name }) => (
      <span className="flex min-w-0 items-center gap-2">
        <Avatar name={name} size={20} />
        <bdi className="truncate" data-tooltip={name}>
          {name}
        </bdi>
      </span>
    ),
  },
  {
    id: "email",
    header: "Email",
    width: 240,
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
    sortable: true,
    value: ({ roles }) => roles.join(),
    renderCell: roleBadges,
  },
  {
    id: "state",
    header: "State",
    width: 100,
    sortable: true,
    value: (user) => user.state,
    renderCell: state,
  },
  {
    id: "created_at",
    header: "Created At",
    width: 110,
    sortable: true,
    value: ({ created_at }) => created_at,
    renderCell: ({ created_at }) => <Age at={created_at} />,
  },
];
