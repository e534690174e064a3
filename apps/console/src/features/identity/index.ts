import type { ConsoleFeature } from "#lib/page.ts";

export {
  type Access,
  type Person,
  type Session,
  SessionProvider,
  useAccess,
  useSession,
} from "./session.tsx";
export { SignInNeeded, startUpQuery } from "./start-up.ts";
export { Unauthorized } from "./Unauthorized.tsx";
export { useSignOut } from "./use-sign-out.ts";

export const identity: ConsoleFeature = {
  name: "identity",
  pages: [
    {
      path: "/login",
      title: "Sign in",
      access: "public",
      load: () => import("./LoginPage.tsx").then((module) => module.LoginPage),
    },
    {
      path: "/auth-state-checker",
      title: "Session",
      access: "public",
      load: () => import("./AuthStateChecker.tsx").then((module) => module.AuthStateChecker),
    },
    {
      path: "/error",
      title: "Error",
      access: "public",
      load: () => import("./FlowErrorPage.tsx").then((module) => module.FlowErrorPage),
    },
    {
      path: "/session-error",
      title: "Session error",
      access: "public",
      load: () => import("./SessionErrorPage.tsx").then((module) => module.SessionErrorPage),
    },
  ],
};
