import { createContext, useContext, type ReactNode } from "react";
import {
  type Action,
  effectiveRoles,
  isAllowed,
  type Resource,
  type Role,
} from "@mainstay/contract/permissions.ts";
import { isFeatureOff, type About, type Property } from "#features/settings/index.ts";

export interface Person {
  id: string;
  name: string;
  email: string;
  avatar?: string | null;
}

/** Who is using the console and what is switched on, read once when it starts. */
export interface Session {
  /** Nobody in checker-only mode. */
  person: Person | null;
  roles: readonly Role[];
  properties: readonly Property[];
  about: About | null;
}

export interface Access {
  /** Whether the role matrix allows it. The server decides; this only hides what it would refuse. */
  may: (action: Action, resource: Resource) => boolean;
  hasRole: (roles: readonly Role[]) => boolean;
  isOn: (feature: string) => boolean;
}

/** What a session may do. In checker-only mode there are no roles: everything about canaries, unless read-only. */
export function accessOf(session: Session): Access {
  const { about, roles, properties } = session;
  const checker = about?.checkerOnly === true;
  const writes = about?.readOnly !== true;
  const granted = effectiveRoles(roles);
  return {
    may: (action, resource) =>
      checker
        ? resource === "canaries" && (action === "read" || writes)
        : (action === "read" || writes) && isAllowed(granted, resource, action),
    hasRole: (wanted) => writes && (checker || granted.some((role) => wanted.includes(role))),
    isOn: (feature) => (checker ? feature === "health" : !isFeatureOff(properties, feature)),
  };
}

const SessionContext = createContext<{ session: Session; access: Access } | null>(null);

export function SessionProvider({ session, children }: { session: Session; children: ReactNode }) {
  return <SessionContext value={{ session, access: accessOf(session) }}>{children}</SessionContext>;
}

function useContextValue() {
  const value = useContext(SessionContext);
  if (!value) throw new Error("There is no session here: render it inside SessionProvider.");
  return value;
}

export const useSession = (): Session => useContextValue().session;
export const useAccess = (): Access => useContextValue().access;
