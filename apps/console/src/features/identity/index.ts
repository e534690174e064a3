import type { ConsoleFeature } from "#lib/page.ts";
import { patterns } from "#lib/paths.ts";
import { frontPages } from "./front/front-pages.ts";

export { frontPageAt } from "./front/front-pages.ts";
export { FrontDoor } from "./front/FrontDoor.tsx";
export { SignInNeeded, startUpQuery } from "./start-up.ts";
export { Unauthorized } from "./Unauthorized.tsx";
export { useSignOut } from "./use-sign-out.ts";

export const loadSessionErrorPage = () =>
  import("./SessionErrorPage.tsx").then((module) => module.SessionErrorPage);

export const identity: ConsoleFeature = {
  name: "identity",
  pages: [
    ...frontPages,
    {
      path: patterns.profile,
      title: "Your profile",
      access: "session",
      load: () => import("./ProfilePage.tsx").then((module) => module.ProfilePage),
    },
  ],
};
