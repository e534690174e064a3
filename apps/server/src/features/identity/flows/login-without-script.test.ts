import type { LoginFlow } from "@ory/kratos-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  CookieJar,
  csrfTokenOf,
  type IdentityServer,
  PASSWORD,
  startIdentityServer,
} from "../testing/identity-server.ts";

let server: IdentityServer;
beforeAll(async () => {
  server = await startIdentityServer();
  await server.createPerson("ada@example.org", "editor");
});
afterAll(() => server.stop());
const html = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(server.url + path, {
    headers: { accept: "application/json", ...headers },
    redirect: "manual",
  });
const postForm = (
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
) =>
  fetch(server.url + path, {
    method: "POST",
    body: new URLSearchParams(fields),
    headers: { accept: html, ...headers },
    redirect: "manual",
  });

describe("a person without script", () => {
  test("is led by redirects to the page, back to it, and onwards", async () => {
    const jar = new CookieJar();
    const begun = jar.keep(
      await get("/api/.ory/self-service/login/browser?return_to=/health", { accept: html }),
    );
    expect(begun.status).toBe(303);
    const id = /^\/login\?flow=([0-9a-f-]{36})$/.exec(begun.headers.get("location")!)![1]!;
    const flow = (await (
      await get(`/api/.ory/self-service/login/flows?id=${id}`, { cookie: jar.toString() })
    ).json()) as LoginFlow;
    const action = new URL(flow.ui.action);
    const fields = {
      csrf_token: csrfTokenOf(flow),
      method: "password",
      identifier: "ada@example.org",
    };
    const submit = (password: string) =>
      postForm(
        action.pathname + action.search,
        { ...fields, password },
        { cookie: jar.toString(), origin: server.url },
      );

    const refused = await submit("wrong");
    expect([refused.status, refused.headers.get("location")]).toEqual([303, `/login?flow=${id}`]);
    const shown = await (
      await get(`/api/.ory/self-service/login/flows?id=${id}`, { cookie: jar.toString() })
    ).json();
    expect(shown).toMatchObject({ ui: { messages: [{ id: 4000006 }] } });

    const signedIn = jar.keep(await submit(PASSWORD));
    expect([signedIn.status, signedIn.headers.get("location")]).toEqual([303, "/health"]);
    expect((await server.client.toSession({ cookie: jar.toString() })).status).toBe(200);

    const already = await get("/api/.ory/self-service/login/browser?return_to=/catalog/%E6%BC%A2", {
      accept: html,
      cookie: jar.toString(),
    });
    expect([already.status, already.headers.get("location")]).toEqual([303, "/catalog/%E6%BC%A2"]);

    const { logout_token: token } = (await (
      await get("/api/.ory/self-service/logout/browser", { cookie: jar.toString() })
    ).json()) as {
      logout_token: string;
    };
    const out = await get(`/api/.ory/self-service/logout?token=${token}`, {
      accept: html,
      cookie: jar.toString(),
    });
    expect([out.status, out.headers.get("location")]).toEqual([303, "/login"]);
  });
});
