import type { UiText } from "@ory/kratos-client";
import { expect } from "vitest";
import { CookieJar, csrfTokenOf, type IdentityServer } from "./identity-server.ts";

/** What tests look at of a flow, whatever its kind. */
export interface FlowBody {
  id: string;
  state: string;
  return_to?: string;
  expires_at: string;
  continue_with?: {
    action: string;
    flow?: { id: string; verifiable_address?: string };
    redirect_browser_to?: string;
  }[];
  identity?: { traits: Record<string, unknown> };
  ui: {
    action: string;
    method: string;
    messages?: UiText[];
    nodes: {
      group: string;
      type: string;
      attributes: Record<string, unknown>;
      messages: UiText[];
    }[];
  };
}

export type Kind = "login" | "registration" | "recovery" | "verification" | "settings";

export interface Answer<Body = FlowBody> {
  status: number;
  body: Body;
  headers: Record<string, unknown>;
}

/** A browser, or a program, that walks through flows with the official client. */
export class Walker {
  readonly server: IdentityServer;
  readonly jar: CookieJar;
  /** Of a program; a browser has a cookie. */
  token: string | undefined;
  readonly isProgram: boolean;

  constructor(server: IdentityServer, options: { jar?: CookieJar; isProgram?: boolean } = {}) {
    this.server = server;
    this.jar = options.jar ?? new CookieJar();
    this.isProgram = options.isProgram ?? false;
  }

  async begin(kind: Kind, query: Record<string, string> = {}): Promise<Answer> {
    const { client } = this.server;
    const cookie = this.#cookie();
    const browser = {
      login: () =>
        client.createBrowserLoginFlow({
          cookie,
          ...(query.aal ? { aal: query.aal } : {}),
          ...(query.refresh ? { refresh: true } : {}),
          ...(query.return_to ? { returnTo: query.return_to } : {}),
        }),
      registration: () =>
        client.createBrowserRegistrationFlow(
          {
            ...(query.return_to ? { returnTo: query.return_to } : {}),
            ...(query.after_verification_return_to
              ? { afterVerificationReturnTo: query.after_verification_return_to }
              : {}),
          },
          { headers: { cookie } },
        ),
      recovery: () =>
        client.createBrowserRecoveryFlow(query.return_to ? { returnTo: query.return_to } : {}, {
          headers: { cookie },
        }),
      verification: () =>
        client.createBrowserVerificationFlow(query.return_to ? { returnTo: query.return_to } : {}, {
          headers: { cookie },
        }),
      settings: () =>
        client.createBrowserSettingsFlow({
          cookie,
          ...(query.return_to ? { returnTo: query.return_to } : {}),
        }),
    };
    const session = this.token ? { xSessionToken: this.token } : {};
    const program = {
      login: () =>
        client.createNativeLoginFlow({
          ...session,
          ...(query.aal ? { aal: query.aal } : {}),
          ...(query.refresh ? { refresh: true } : {}),
        }),
      registration: () => client.createNativeRegistrationFlow({}),
      recovery: () => client.createNativeRecoveryFlow(),
      verification: () => client.createNativeVerificationFlow({}),
      settings: () => client.createNativeSettingsFlow(session),
    };
    return this.#keep(await (this.isProgram ? program : browser)[kind]());
  }

  async get(kind: Kind, id: string): Promise<Answer> {
    const { client } = this.server;
    const who = this.isProgram
      ? this.token
        ? { xSessionToken: this.token }
        : {}
      : { cookie: this.#cookie() };
    const calls = {
      login: () => client.getLoginFlow({ id, ...who }),
      registration: () => client.getRegistrationFlow({ id, ...who }),
      recovery: () => client.getRecoveryFlow({ id, ...who }),
      verification: () => client.getVerificationFlow({ id, ...who }),
      settings: () => client.getSettingsFlow({ id, ...who }),
    };
    return this.#keep(await calls[kind]());
  }

  /** Sends fields, with the flow's CSRF token unless `csrf_token` is among them. */
  async send(kind: Kind, flow: FlowBody, fields: Record<string, unknown>): Promise<Answer> {
    const { client } = this.server;
    const body = {
      ...(this.isProgram ? {} : { csrf_token: csrfTokenOf(flow) }),
      ...fields,
    } as never;
    const who = this.isProgram
      ? this.token
        ? { xSessionToken: this.token }
        : {}
      : { cookie: this.#cookie() };
    const calls = {
      login: () => client.updateLoginFlow({ flow: flow.id, updateLoginFlowBody: body, ...who }),
      registration: () =>
        client.updateRegistrationFlow({ flow: flow.id, updateRegistrationFlowBody: body, ...who }),
      recovery: () =>
        client.updateRecoveryFlow({ flow: flow.id, updateRecoveryFlowBody: body, ...who }),
      verification: () =>
        client.updateVerificationFlow({ flow: flow.id, updateVerificationFlowBody: body, ...who }),
      settings: () =>
        client.updateSettingsFlow({ flow: flow.id, updateSettingsFlowBody: body, ...who }),
    };
    return this.#keep(await calls[kind]());
  }

  async whoami(): Promise<Answer<Record<string, unknown>>> {
    const { status, data, headers } = await this.server.client.toSession(
      this.token ? { xSessionToken: this.token } : { cookie: this.#cookie() },
    );
    return { status, body: data as unknown as Record<string, unknown>, headers };
  }

  /** What a person does with a link: the page it leads to. */
  async visit(path: string): Promise<string> {
    const reply = this.jar.keep(
      await fetch(this.server.url + path, {
        redirect: "manual",
        headers: { accept: "text/html", cookie: this.jar.toString() },
      }),
    );
    return `${reply.status} ${reply.headers.get("location") ?? ""}`;
  }

  #cookie(): string {
    return this.jar.toString();
  }

  #keep(reply: { status: number; data: unknown; headers: object }): Answer {
    if (!this.isProgram) this.jar.keep(reply);
    const data = reply.data as {
      session_token?: string;
      continue_with?: { ory_session_token?: string }[];
    };
    const token =
      data?.session_token ??
      data?.continue_with?.find(({ ory_session_token: given }) => given)?.ory_session_token;
    if (this.isProgram && token) this.token = token;
    return {
      status: reply.status,
      body: reply.data as FlowBody,
      headers: reply.headers as Record<string, unknown>,
    };
  }
}

/** Begins to recover an account, up to the mail with the code. */
export async function askForRecovery(walker: Walker, email: string): Promise<FlowBody> {
  const { body: flow } = await walker.begin("recovery", { return_to: "/health" });
  const { status, body } = await walker.send("recovery", flow, { method: "code", email });
  expect([status, body.state, messageIds(body)]).toEqual([200, "sent_email", [1060003]]);
  return body;
}

/** Path and query of an address, which may name another host than the server under test. */
export const pathOf = (address: string): string => {
  const { pathname, search } = new URL(address, "http://here");
  return pathname + search;
};

/** The flow that takes the place of one that was sent too late: named in the answer, or where it leads. */
export function successorOf({ body, headers }: Answer): string {
  const { use_flow_id: named } = body as unknown as { use_flow_id?: string };
  if (named) return named;
  return new URL(String(headers.location)).searchParams.get("id")!;
}

export const messageIds = ({ ui }: FlowBody): number[] => (ui.messages ?? []).map(({ id }) => id);

/** The numbers said at a field. */
export const fieldIds = ({ ui }: FlowBody, name: string): number[] =>
  ui.nodes
    .filter(({ attributes }) => attributes.name === name)
    .flatMap(({ messages }) => messages.map(({ id }) => id));

export const fieldsOf = ({ ui }: FlowBody): string[] =>
  ui.nodes.map(({ group, attributes }) => `${group}:${String(attributes.name ?? attributes.id)}`);
