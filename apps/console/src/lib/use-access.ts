import { createContext, createElement, useContext, useMemo, type ReactNode } from "react";
import { isFeatureOff } from "@mainstay/contract/feature-flags.ts";
import {
  type Action,
  effectiveRoles,
  isAllowed,
  type Resource,
  type Role,
  roles as everyRole,
} from "@mainstay/contract/permissions.ts";
import type { About } from "./about.ts";

/** Who is using the console, what they may do, and what is switched on: the one place where the console asks. */

export interface Person {
  id: string;
  name: string;
  email: string;
  avatar?: string | null;
}

/** A property as `/api/properties` gives it. */
export interface Property {
  name: string;
  value: string;
  /** `local`: from the server's own file, which cannot be changed from here. */
  source?: "local" | "db";
  type?: string;
  description?: string;
}

/** Read once when the console starts, and again after `sessionKey` was invalidated. */
export interface Session {
  /** Nobody in checker-only mode. */
  person: Person | null;
  roles: readonly Role[];
  /** Who may run code on the server, by its settings; administrators alone when it does not say. */
  codeRoles?: readonly Role[];
  properties: readonly Property[];
  about: About | null;
}

/** Invalidate it after anything that changes one's own name, roles or a feature flag. */
export const sessionKey = ["start-up"] as const;

/** What a page, an item of the navigation or an action needs. */
export interface Gate {
  read?: Resource;
  write?: Resource;
  /** The feature flag that switches it off. */
  feature?: string;
}

export interface Access {
  /** Whether the role matrix allows it. The server decides; this only hides what it would refuse. */
  may: (action: Action, resource: Resource) => boolean;
  hasRole: (roles: readonly Role[]) => boolean;
  /** The Settings submenu is hidden from viewers, who are also those without any role. */
  seesSettings: boolean;
  isOn: (feature: string) => boolean;
  /** Whether something is there: not where its feature is off, not for who lacks the permission. */
  gate: (needs: Gate) => "open" | "off" | "forbidden";
  /** Why something is refused, for a tooltip; nothing when it is allowed. */
  whyNot: (action: Action, resource: Resource) => string | undefined;
  whyNotRole: (roles: readonly Role[]) => string | undefined;
}

const inWords = (names: readonly string[], type: Intl.ListFormatType): string =>
  new Intl.ListFormat("en-GB", { type }).format(names);

/** What a session may do. In checker-only mode there are no roles: everything about canaries, unless read-only. */
export function accessOf(session: Session): Access {
  const { about, roles, properties } = session;
  const checker = about?.checkerOnly === true;
  const writes = about?.readOnly !== true;
  const granted = effectiveRoles(roles);
  const settings = { codeRoles: session.codeRoles ?? [] };
  const may: Access["may"] = (action, resource) =>
    checker
      ? resource === "canaries" && (action === "read" || writes)
      : (action === "read" || writes) && isAllowed(granted, resource, action, settings);
  const hasRole: Access["hasRole"] = (wanted) =>
    writes && (checker || granted.some((role) => wanted.includes(role)));
  const refusal = (wanted: readonly Role[]): string => {
    if (!writes) return "This server is read-only.";
    if (checker) return "This server only checks: there is nothing else on it.";
    const own = inWords(granted, "conjunction");
    return wanted.length === 0
      ? "Nobody may do this."
      : `Needs the role ${inWords(wanted, "disjunction")}. Yours: ${own}.`;
  };
  const isOn: Access["isOn"] = (feature) =>
    checker ? feature === "health" : !isFeatureOff(properties, feature);
  return {
    may,
    hasRole,
    seesSettings: granted.some((role) => role !== "viewer"),
    isOn,
    gate: ({ read, write, feature }) => {
      if (feature !== undefined && !isOn(feature)) return "off";
      const isAllowedTo =
        (read === undefined || may("read", read)) && (write === undefined || may("write", write));
      return isAllowedTo ? "open" : "forbidden";
    },
    whyNot: (action, resource) => {
      if (may(action, resource)) return undefined;
      if (checker && resource === "server_code") return "Nobody may on a server without accounts.";
      return refusal(everyRole.filter((role) => isAllowed([role], resource, action, settings)));
    },
    whyNotRole: (wanted) => (hasRole(wanted) ? undefined : refusal(wanted)),
  };
}

const SessionContext = createContext<{ session: Session; access: Access } | null>(null);

export function SessionProvider({ session, children }: { session: Session; children: ReactNode }) {
  const value = useMemo(() => ({ session, access: accessOf(session) }), [session]);
  return createElement(SessionContext, { value }, children);
}

function useContextValue() {
  const value = useContext(SessionContext);
  if (!value) throw new Error("There is no session here: render it inside SessionProvider.");
  return value;
}

export const useSession = (): Session => useContextValue().session;
export const useAccess = (): Access => useContextValue().access;
