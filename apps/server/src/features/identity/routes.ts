import type { Feature } from "#platform/feature.ts";
import type { RouteInput } from "#platform/http/route.ts";
import { createSignInLimits } from "./attempt-limits.ts";
import type { Exchange } from "./exchange.ts";
import { getLoginFlow } from "./get-login-flow.ts";
import { logOut, logOutApi, startLogout } from "./log-out.ts";
import { baseUrl } from "./request-origin.ts";
import {
  noSession,
  notLocated,
  SelfServiceError,
  sendSelfServiceError,
} from "./self-service-error.ts";
import { toSessionBody } from "./session-body.ts";
import { sessionOf } from "./sessions.ts";
import { startApiLogin, startBrowserLogin } from "./start-login.ts";
import { submitLogin } from "./submit-login.ts";

const BODY_LIMIT = 16 * 1024;
const selfService = "/api/.ory/self-service";

export const routes: NonNullable<Feature["routes"]> = (http, { config }) => {
  const limits = createSignInLimits();
  const answer =
    <Reply>(verb: (exchange: Exchange) => Promise<Reply>) =>
    async ({
      ctx,
      query,
      request,
      reply,
    }: RouteInput<Record<string, string>, Record<string, unknown>, unknown>) => {
      try {
        return await verb({ ctx, config, query, request, reply, limits });
      } catch (error) {
        if (error instanceof SelfServiceError) return sendSelfServiceError(reply, error);
        throw error;
      }
    };

  http.get("/api/.ory/sessions/whoami", { access: "public" }, answer(whoami));
  http.get(`${selfService}/login/browser`, { access: "public" }, answer(startBrowserLogin));
  http.get(`${selfService}/login/api`, { access: "public" }, answer(startApiLogin));
  http.get(`${selfService}/login/flows`, { access: "public" }, answer(getLoginFlow));
  http.post(
    `${selfService}/login`,
    { access: "public", bodyLimit: BODY_LIMIT },
    answer(submitLogin),
  );
  http.get(`${selfService}/logout/browser`, { access: "public" }, answer(startLogout));
  http.get(`${selfService}/logout`, { access: "public" }, answer(logOut));
  http.delete(
    `${selfService}/logout/api`,
    { access: "public", bodyLimit: BODY_LIMIT },
    answer(logOutApi),
  );
  http.get(
    `${selfService}/errors`,
    { access: "public" },
    // Failures are answered where they happen; none is kept to be looked up.
    answer(() => Promise.reject(notLocated("error"))),
  );
};

async function whoami({ ctx, config, request, reply }: Exchange) {
  const session = await sessionOf(ctx, request);
  if (!session) throw noSession();
  reply.header("x-kratos-authenticated-identity-id", session.identity_id);
  return toSessionBody(session, baseUrl(request, config));
}
