import type { Feature } from "#platform/feature.ts";
import { tables } from "./tables.ts";
import { whoami } from "./whoami.ts";

export { grantRole } from "./grant-role.ts";
export { recordSignIn } from "./record-sign-in.ts";

/** People and their roles. */
export const people: Feature = {
  name: "people",
  tables,
  routes: (http) => http.get("/api/auth/whoami", { access: "session" }, ({ ctx }) => whoami(ctx)),
  views: new URL("./views.sql", import.meta.url),
};
