import type { Page } from "#lib/page.ts";
import { patterns } from "#lib/paths.ts";

export { FrontFailure } from "./FrontDoor.tsx";

/**
 * The pages in front of the console, for whoever is not signed in (yet). They are drawn without router, query cache and
 * shell, so that signing in loads little; going from one to another, or into the console, loads the page anew.
 */
export const frontPages: readonly Page[] = [
  {
    path: patterns.login,
    title: "Sign in",
    access: "public",
    load: () => import("../LoginPage.tsx").then((module) => module.LoginPage),
  },
  {
    path: patterns.registration,
    title: "Create an account",
    access: "public",
    load: () => import("../RegistrationPage.tsx").then((module) => module.RegistrationPage),
  },
  {
    path: patterns.recovery,
    title: "Recover your account",
    access: "public",
    load: () => import("../RecoveryPage.tsx").then((module) => module.RecoveryPage),
  },
  {
    path: patterns.verification,
    title: "Verify your address",
    access: "public",
    load: () => import("../VerificationPage.tsx").then((module) => module.VerificationPage),
  },
  {
    path: patterns.authStateChecker,
    title: "Session",
    access: "public",
    load: () => import("../AuthStateChecker.tsx").then((module) => module.AuthStateChecker),
  },
  {
    path: patterns.flowError,
    title: "Error",
    access: "public",
    load: () => import("../FlowErrorPage.tsx").then((module) => module.FlowErrorPage),
  },
  {
    path: patterns.sessionError,
    title: "Session error",
    access: "public",
    load: () => import("../SessionErrorPage.tsx").then((module) => module.SessionErrorPage),
  },
];

export function frontPageAt(path: string): Page | undefined {
  const plain = path.replace(/(?<=.)\/+$/, "");
  return frontPages.find((page) => page.path === plain);
}
