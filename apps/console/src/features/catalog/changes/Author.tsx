import type { Rows } from "@mainstay/contract/rows.ts";
import { Avatar } from "@mainstay/ui/Avatar.tsx";
import { createContext, useContext } from "react";

export type NamedPerson = Pick<Rows["people"], "id" | "name" | "avatar">;

/** The people who made the changes that are shown, by their ids. */
export const PeopleContext = createContext<ReadonlyMap<string, NamedPerson>>(new Map());

export interface Authored {
  created_by: string | null;
  external_created_by: string | null;
}

/** Who made a change: somebody of here with their picture, or the name that another system has for them. */
export function Author({ change }: { change: Authored }) {
  const people = useContext(PeopleContext);
  const person = change.created_by === null ? undefined : people.get(change.created_by);
  if (person)
    return (
      <span className="flex min-w-0 items-center gap-2">
        <Avatar name={person.name} src={person.avatar} size={20} />
        <bdi className="truncate">{person.name}</bdi>
      </span>
    );
  const name = change.external_created_by;
  return name ? (
    <bdi className="block truncate" data-tooltip={name}>
      {name}
    </bdi>
  ) : (
    "–"
  );
}
