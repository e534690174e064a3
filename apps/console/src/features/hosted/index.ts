import { createElement, type ComponentType, type ReactNode } from "react";
import type { HostedMode } from "#lib/auth-mode.ts";
import { enter } from "./enter.ts";
import { HostedDoor } from "./HostedDoor.tsx";

/** What is drawn where people sign in with a provider that knows organizations. Fetched only there. */
export const openHostedDoor = (
  mode: HostedMode,
  loadConsole: () => Promise<ComponentType>,
): ReactNode => createElement(HostedDoor, { mode, entering: enter(mode), loadConsole });
