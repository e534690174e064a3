import { AppError, statusOf } from "#platform/errors.ts";
import { listUnmailedInvitations } from "#features/identity/index.ts";
import type { Feature } from "#platform/feature.ts";
import { changeProperties } from "./change-properties.ts";
import { changeRoles, changeState } from "./change-access.ts";
import { deletePerson } from "./delete-person.ts";
import { dumpRoles } from "./dump-roles.ts";
import { inviteUser, USER_EXISTS } from "./invite-user.ts";
import { readFields } from "./person-input.ts";
import { makeSignInLink } from "./sign-in-link.ts";
import { resetSecondFactor } from "./reset-second-factor.ts";
import { updatePerson } from "./update-person.ts";
import { whoami } from "./whoami.ts";

const BODY_LIMIT = 64 * 1024;
const changesUsers = {
  access: { resource: "identities", action: "write" },
  bodyLimit: BODY_LIMIT,
} as const;

export const routes: NonNullable<Feature["routes"]> = (http) => {
  http.get("/api/auth/whoami", { access: "session" }, ({ ctx }) => whoami(ctx));
  http.post("/api/auth/invite_user", changesUsers, async ({ ctx, request, reply }) => {
    try {
      return await inviteUser(ctx, request);
    } catch (error) {
      if (!(error instanceof AppError) || error.message !== USER_EXISTS) throw error;
      // The reference's clients know it by both.
      const { message, code } = error;
      return reply
        .status(statusOf[code])
        .send({ error: message, message: "Error creating user", code });
    }
  });
  http.post("/api/auth/:id/update_state", changesUsers, ({ ctx, params, request }) =>
    changeState(ctx, params.id!, readFields(request)),
  );
  http.post(
    "/api/auth/:id/properties",
    { access: "session", bodyLimit: BODY_LIMIT },
    ({ ctx, params, request }) => changeProperties(ctx, params.id!, readFields(request)),
  );
  http.post(
    "/api/rbac/:id/update_role",
    { access: { resource: "rbac", action: "write" }, bodyLimit: BODY_LIMIT },
    ({ ctx, params, request }) => changeRoles(ctx, params.id!, readFields(request)),
  );
  http.get("/api/rbac/dump", { access: { resource: "rbac", action: "read" } }, ({ ctx }) =>
    dumpRoles(ctx),
  );
  // Whom nothing has told that they are invited.
  http.get("/api/people/unmailed-invitations", { access: changesUsers.access }, ({ ctx }) =>
    listUnmailedInvitations(ctx),
  );
  http.post("/api/people/update", changesUsers, ({ ctx, request }) =>
    updatePerson(ctx, readFields(request)),
  );
  http.post("/api/people/:id/reset-second-factor", changesUsers, ({ ctx, params }) =>
    resetSecondFactor(ctx, params.id!),
  );
  http.post("/api/people/:id/sign-in-link", changesUsers, ({ ctx, params, request }) =>
    makeSignInLink(ctx, params.id!, request),
  );
  http.delete("/api/people/:id", changesUsers, ({ ctx, params }) => deletePerson(ctx, params.id!));
};
