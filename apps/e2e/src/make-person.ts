import type { APIRequestContext } from "playwright-core";

const password = "plenty of pears in march";

interface Flow {
  id: string;
  ui: { nodes: { attributes: { name: string; value?: string } }[] };
}

/** Somebody whom an administrator invites, and who follows the link and chooses a password, all without a page. */
export async function makePerson(
  administrator: APIRequestContext,
  guest: APIRequestContext,
  { email, role }: { email: string; role: string },
): Promise<{ email: string; password: string }> {
  async function answered<Reply>(
    request: APIRequestContext,
    address: string,
    data?: object,
  ): Promise<Reply> {
    const reply = await request.fetch(address, {
      headers: { accept: "application/json" },
      ...(data && { method: "POST", data }),
    });
    if (reply.status() >= 400 && reply.status() !== 422)
      throw new Error(`${address}: ${reply.status()} ${await reply.text()}`);
    return (await reply.json()) as Reply;
  }
  const submit = (kind: string, { id, ui }: Flow, data: object) =>
    answered(guest, `/api/.ory/self-service/${kind}?flow=${id}`, {
      ...data,
      csrf_token: ui.nodes.find(({ attributes }) => attributes.name === "csrf_token")?.attributes
        .value,
    });
  const { link } = await answered<{ link: string }>(administrator, "/api/auth/invite_user", {
    firstName: email.split("@")[0],
    lastName: "Example",
    email,
    role,
  });
  await submit("recovery", await answered<Flow>(guest, link), { method: "link" });
  const settings = await answered<Flow>(guest, "/api/.ory/self-service/settings/browser");
  await submit("settings", settings, { method: "password", password });
  return { email, password };
}
