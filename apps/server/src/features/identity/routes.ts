import { STATUS_CODES } from "node:http";
import type { FastifyReply } from "fastify";
import type { Feature } from "#platform/feature.ts";
import type { FailureBody, Http, RouteInput } from "#platform/http/route.ts";
import { signInLimits } from "./password/attempt-limits.ts";
import { type Exchange, wantsPage } from "./flows/exchange.ts";
import { continueSettings } from "./flows/continue-settings.ts";
import { findError, keepError } from "./flows/flow-errors.ts";
import { followLink } from "./flows/follow-link.ts";
import { openEncryption } from "#platform/encryption.ts";
import { flowKinds, type FlowKind } from "./flows/flow-kinds.ts";
import { getFlow } from "./flows/get-flow.ts";
import type { KindRules } from "./flows/kind-rules.ts";
import { getSchema, listSchemas } from "./identity-schema.ts";
import { kratosProxy } from "./external/kratos-proxy.ts";
import { login } from "./flows/login.ts";
import { listMySessions, revokeMyOtherSessions, revokeMySession } from "./sessions/my-sessions.ts";
import { openIdProviders } from "./oidc/oidc-providers.ts";
import { returnFromProvider } from "./oidc/oidc-return.ts";
import { recovery } from "./flows/recovery.ts";
import { registration } from "./flows/registration.ts";
import { verification } from "./flows/verification.ts";
import { settings } from "./flows/settings.ts";
import { logOut, logOutApi, startLogout } from "./sessions/log-out.ts";
import { baseUrl } from "./sessions/request-origin.ts";
import {
  errorBody,
  noSession,
  secondFactorRequired,
  SelfServiceError,
  sendSelfServiceError,
} from "./flows/self-service-error.ts";
import { toSessionBody } from "./sessions/session-body.ts";
import { lacksSecondFactor, sessionOf } from "./sessions/sessions.ts";
import { requireOwnPage, secondFactorAddress } from "./flows/signed-in.ts";
import { startFlow } from "./flows/open-flow.ts";
import { submitFlow } from "./flows/submit-flow.ts";
import { sendWebauthnScript, WEBAUTHN_SCRIPT_PATH } from "./second-factors/webauthn-script.ts";

const BODY_LIMIT = 16 * 1024;
const selfService = "/api/.ory/self-service";

export const routes: NonNullable<Feature["routes"]> = (server, { ctx, config }) => {
  const http = withFailures(server);
  if (config.identityUrl !== undefined) return kratosProxy(http, ctx, config.identityUrl);
  const limits = ctx.service(signInLimits);
  const encryption = openEncryption(config);
  // Read now, so that the program does not start with what it cannot use.
  openIdProviders(config);
  const answer =
    <Reply>(verb: (exchange: Exchange & { params: Record<string, string> }) => Promise<Reply>) =>
    async ({
      ctx,
      params,
      query,
      request,
      reply,
    }: RouteInput<Record<string, string>, Record<string, unknown>, unknown>) => {
      const exchange = { ctx, config, params, query, request, reply, limits, encryption };
      try {
        return await verb(exchange);
      } catch (error) {
        if (!(error instanceof SelfServiceError)) throw error;
        return await sendFailure(exchange, error);
      }
    };

  http.get("/api/.ory/sessions/whoami", { access: "public" }, answer(whoami));
  http.post(
    "/api/.ory/sessions/whoami",
    { access: "public", bodyLimit: BODY_LIMIT },
    answer(async (exchange) => {
      requireOwnPage(exchange);
      return await whoami(exchange);
    }),
  );
  const serve = <Kind extends FlowKind>(rules: KindRules<Kind>) => {
    const { path } = flowKinds[rules.kind];
    const access = "public";
    http.get(
      `${path}/browser`,
      { access },
      answer((exchange) => startFlow(exchange, rules, "browser")),
    );
    http.get(
      `${path}/api`,
      { access },
      answer((exchange) => startFlow(exchange, rules, "api")),
    );
    http.get(
      `${path}/flows`,
      { access },
      answer((exchange) => getFlow(exchange, rules)),
    );
    http.post(
      path,
      { access, bodyLimit: BODY_LIMIT, takesUnreadable: true },
      answer((exchange) => submitFlow(exchange, rules)),
    );
  };
  serve(login);
  serve(registration);
  serve(recovery);
  serve(verification);
  serve(settings);
  http.get(
    `${selfService}/methods/oidc/callback/:provider`,
    { access: "public" },
    answer((exchange) => returnFromProvider(exchange, exchange.params.provider ?? "")),
  );
  http.get(flowKinds.settings.path, { access: "public" }, answer(continueSettings));
  // Links in mails, and those that administrators hand over.
  http.get(
    flowKinds.recovery.path,
    { access: "public" },
    answer((exchange) => followLink(exchange, recovery)),
  );
  http.get(
    flowKinds.verification.path,
    { access: "public" },
    answer((exchange) => followLink(exchange, verification)),
  );
  http.get(`${selfService}/logout/browser`, { access: "public" }, answer(startLogout));
  http.get(`${selfService}/logout`, { access: "public" }, answer(logOut));
  http.delete(
    `${selfService}/logout/api`,
    { access: "public", bodyLimit: BODY_LIMIT },
    answer(logOutApi),
  );
  http.get(`${selfService}/errors`, { access: "public" }, answer(findError));

  http.get(WEBAUTHN_SCRIPT_PATH, { access: "public" }, ({ reply }) => sendWebauthnScript(reply));

  http.get("/api/.ory/schemas", { access: "public" }, answer(listSchemas));
  http.get("/api/.ory/schemas/:id", { access: "public" }, answer(getSchema));
  http.get("/api/.ory/sessions", { access: "public" }, answer(listMySessions));
  http.delete("/api/.ory/sessions", { access: "public" }, answer(revokeMyOtherSessions));
  http.delete("/api/.ory/sessions/:id", { access: "public" }, answer(revokeMySession));
};

/** Whatever else fails is told in the shape that clients of the identity service understand, too. */
function withFailures(http: Http): Http {
  const failureBody: FailureBody = ({ status, message }) =>
    errorBody(
      new SelfServiceError({ status, message: STATUS_CODES[status] ?? "", reason: message }),
    );
  const wrap =
    (register: Http["get"]): Http["get"] =>
    (path, options, handler) =>
      register(path, { failureBody, ...options }, handler);
  return {
    get: wrap(http.get),
    post: wrap(http.post),
    put: wrap(http.put),
    patch: wrap(http.patch),
    delete: wrap(http.delete),
  };
}

/** Programs are told in the answer; a person is led to where it can be put right, or to a page that tells. */
async function sendFailure(exchange: Exchange, error: SelfServiceError): Promise<FastifyReply> {
  const { reply, request } = exchange;
  const isNavigation = wantsPage(exchange) && request.url.startsWith(selfService);
  if (!isNavigation) return sendSelfServiceError(reply, error);
  const { id, extras, headers = {} } = error.parts;
  if (id !== undefined && ledOn.has(id) && extras?.redirect_browser_to)
    return reply.redirect(extras.redirect_browser_to, 303);
  if (id === "session_inactive") return reply.redirect(flowKinds.login.page, 303);
  const page = await keepError(exchange, error);
  if (page === undefined) return sendSelfServiceError(reply, error);
  return reply.headers(headers).redirect(page, 303);
}

const ledOn = new Set(["session_aal2_required", "session_refresh_required"]);

async function whoami({ ctx, config, request, reply }: Exchange) {
  const session = await sessionOf(ctx, request);
  if (!session) throw noSession();
  if (lacksSecondFactor(session)) throw secondFactorRequired(secondFactorAddress(request, config));
  reply.header("x-kratos-authenticated-identity-id", session.identity_id);
  return toSessionBody(session, baseUrl(request, config));
}
