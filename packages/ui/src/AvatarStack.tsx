import { Avatar } from "./Avatar.tsx";

export interface AvatarStackProps {
  label: string;
  people: readonly { id: string; name: string; avatar?: string | null | undefined }[];
  size?: number;
}

/** Document 1, section 2. */
const mostShown = 5;

/** Who takes part: at most five of them, and how many more. */
export function AvatarStack({ label, people, size = 24 }: AvatarStackProps) {
  const others = people.slice(mostShown);
  return (
    <ul aria-label={label} className="m-0 inline-flex list-none items-center p-0">
      {people.slice(0, mostShown).map((person) => (
        <li
          key={person.id}
          data-tooltip={person.name}
          className="-ml-1 flex rounded-full ring-1 ring-surface first:ml-0"
        >
          <Avatar name={person.name} src={person.avatar} size={size} />
          <span className="sr-only">{person.name}</span>
        </li>
      ))}
      {others.length > 0 && (
        <li
          data-tooltip={others.map((person) => person.name).join("\n")}
          className="pl-1 text-xs text-muted tabular-nums"
        >
          <span aria-hidden="true">+{others.length}</span>
          <span className="sr-only">and {others.length} more</span>
        </li>
      )}
    </ul>
  );
}
