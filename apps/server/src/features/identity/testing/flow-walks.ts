import type { SettingsFlow } from "@ory/kratos-client";
import { createRecoveryLink } from "../code/recovery-link.ts";
import { type FlowBody, type Kind, pathOf, type Walker } from "./flows.ts";
import { type IdentityServer, PASSWORD, signInAsBrowser } from "./identity-server.ts";
import { codeIn, linkIn, type MailServer } from "./mail-server.ts";
import {
  addKey,
  attributesOf,
  codeOf,
  createDevice,
  type Device,
  keepBackupCodes,
  linkApp,
  registrationOptionsOf,
  requestOptionsOf,
} from "./second-factors.ts";

/** How each method is walked in each kind of flow: up to the form it is sent from, and what is sent, right or wrong. */

export const methodNames = [
  "password",
  "code",
  "link",
  "oidc",
  "passkey",
  "totp",
  "webauthn",
  "lookup_secret",
  "profile",
] as const;
export type MethodName = (typeof methodNames)[number];

export type Fields = Record<string, unknown>;

/** Where a walk takes place, and who walks. */
export interface Place {
  server: IdentityServer;
  mail: MailServer;
  walker: Walker;
  email: string;
  /** Nobody yet in a registration. */
  id: string;
}

export interface Walk {
  /** Up to the form; everything before it goes well. */
  reach(place: Place): Promise<{ flow: FlowBody; right: Fields; wrong: Fields }>;
  /** Wrong tries that are let through. */
  tries?: number;
  /** No program can do it. */
  isForBrowsers?: boolean;
}

const NEW_PASSWORD = "twelve monkeys on bicycles";
const begin = async ({ walker }: Place, kind: Kind, query = {}): Promise<FlowBody> => {
  const { status, body } = await walker.begin(kind, query);
  if (status !== 200) throw new Error(`${kind} did not begin: ${JSON.stringify(body)}`);
  return body;
};
const otherThan = (code: string) => (code === "111111" ? "222222" : "111111");

/** Signs in with the password, as this browser or program; who has a second factor owes it then. */
export async function signIn({ walker, email }: Pick<Place, "walker" | "email">): Promise<void> {
  const { body: flow } = await walker.begin("login");
  const fields = { method: "password", identifier: email, password: PASSWORD };
  const { status } = await walker.send("login", flow, fields);
  if (status !== 200 && status !== 422) throw new Error(`signing in was answered with ${status}`);
}

/** A flow in which a code was sent, and what may be typed in. */
async function withCode(place: Place, kind: Kind, flow: FlowBody, asked: Fields) {
  const { body } = await place.walker.send(kind, flow, asked);
  const code = codeIn(await place.mail.take(place.email));
  const wrong = { method: "code", code: otherThan(code) };
  return { flow: body, right: { method: "code", code }, wrong };
}

/** A key that this person has, which signs for the pages under test. */
async function withKey({ server, email }: Place, kind: "webauthn" | "passkey"): Promise<Device> {
  const device = createDevice();
  await addKey(server, await signInAsBrowser(server, email), { device, kind });
  return device;
}

const signatures = (device: Device, flow: FlowBody, kind: "webauthn" | "passkey") => {
  const options = requestOptionsOf(flow as unknown as SettingsFlow, kind);
  return [device.get(options), device.get(options, { challenge: "AAAA" })] as const;
};

/** What only browsers are offered, from where there is nothing to sign. */
const unsigned = (fields: Fields) => ({ right: fields, wrong: fields });

const password = (identifier: string): { right: Fields; wrong: Fields } => ({
  right: { method: "password", identifier, password: PASSWORD },
  wrong: { method: "password", identifier, password: "wrong" },
});

const traitsOf = (email: string) => ({
  "traits.email": email,
  "traits.name.first": "Ada",
  "traits.name.last": "King",
});

/** Second steps: signed in with the first. */
const stepUp = (place: Place) => begin(place, "login", { aal: "aal2" });

/** Where a link leads: a flow of the browser that followed it. */
async function follow({ walker }: Place, kind: Kind, link: string): Promise<FlowBody> {
  const [, id] = /flow=([\w-]+)$/.exec(await walker.visit(link))!;
  return (await walker.get(kind, id!)).body;
}

/** A link that is good, and the same flow sent on after the link was used elsewhere. */
const linkFields = { right: { method: "link" }, wrong: { method: "link", use: "elsewhere" } };

export const walks: Record<Kind, Partial<Record<MethodName, Walk>>> = {
  login: {
    password: {
      tries: 10,
      reach: async (place) => ({ flow: await begin(place, "login"), ...password(place.email) }),
    },
    code: {
      tries: 5,
      async reach(place) {
        const asked = { method: "code", identifier: place.email };
        return withCode(place, "login", await begin(place, "login"), asked);
      },
    },
    oidc: provider("login"),
    passkey: {
      isForBrowsers: true,
      async reach(place) {
        if (place.walker.isProgram)
          return {
            flow: await begin(place, "login"),
            ...unsigned({ method: "passkey", passkey_login: "{}" }),
          };
        const device = await withKey(place, "passkey");
        const flow = await begin(place, "login");
        const [good, bad] = signatures(device, flow, "passkey");
        const fields = (passkey_login: string) => ({ method: "passkey", passkey_login });
        return { flow, right: fields(good), wrong: fields(bad) };
      },
    },
    totp: {
      tries: 5,
      async reach(place) {
        const { server, email } = place;
        const secret = await linkApp(server, await signInAsBrowser(server, email));
        server.advance(30_000);
        await signIn(place);
        const fields = (totp_code: string) => ({ method: "totp", totp_code });
        const code = codeOf(server, secret);
        return {
          flow: await stepUp(place),
          right: fields(code),
          wrong: fields(otherThan(code)),
        };
      },
    },
    lookup_secret: {
      tries: 5,
      async reach(place) {
        const { server, email } = place;
        const [code] = await keepBackupCodes(server, await signInAsBrowser(server, email));
        await signIn(place);
        const fields = (lookup_secret: string) => ({ method: "lookup_secret", lookup_secret });
        return { flow: await stepUp(place), right: fields(code!), wrong: fields("nothing") };
      },
    },
    webauthn: {
      isForBrowsers: true,
      async reach(place) {
        const device = await withKey(place, "webauthn");
        await signIn(place);
        const flow = await stepUp(place);
        if (place.walker.isProgram)
          return { flow, ...unsigned({ method: "webauthn", webauthn_login: "{}" }) };
        const [good, bad] = signatures(device, flow, "webauthn");
        const fields = (webauthn_login: string) => ({ method: "webauthn", webauthn_login });
        return { flow, right: fields(good), wrong: fields(bad) };
      },
    },
  },
  registration: {
    password: {
      async reach(place) {
        const fields = (chosen: string) => ({
          method: "password",
          password: chosen,
          ...traitsOf(place.email),
        });
        return {
          flow: await begin(place, "registration"),
          right: fields(NEW_PASSWORD),
          wrong: fields("short"),
        };
      },
    },
    code: {
      tries: 5,
      async reach(place) {
        const asked = { method: "password", password: NEW_PASSWORD, ...traitsOf(place.email) };
        return withCode(place, "registration", await begin(place, "registration"), asked);
      },
    },
    oidc: provider("registration"),
  },
  recovery: {
    code: {
      tries: 5,
      async reach(place) {
        const asked = { method: "code", email: place.email };
        return withCode(place, "recovery", await begin(place, "recovery"), asked);
      },
    },
    link: {
      isForBrowsers: true,
      async reach(place) {
        if (place.walker.isProgram) return { flow: await begin(place, "recovery"), ...linkFields };
        const { link } = await createRecoveryLink(place.server.ctx, place.id);
        return { flow: await follow(place, "recovery", pathOf(link)), ...linkFields };
      },
    },
  },
  verification: {
    code: {
      tries: 5,
      async reach(place) {
        const asked = { method: "code", email: place.email };
        return withCode(place, "verification", await begin(place, "verification"), asked);
      },
    },
    link: {
      isForBrowsers: true,
      async reach(place) {
        const flow = await begin(place, "verification");
        if (place.walker.isProgram) return { flow, ...linkFields };
        await place.walker.send("verification", flow, { method: "code", email: place.email });
        const link = linkIn(await place.mail.take(place.email));
        return { flow: await follow(place, "verification", link), ...linkFields };
      },
    },
  },
  settings: {
    profile: {
      async reach(place) {
        const fields = (email: string) => ({ method: "profile", ...traitsOf(email) });
        return {
          flow: await begin(place, "settings"),
          right: fields(place.email),
          wrong: fields("nowhere"),
        };
      },
    },
    password: {
      reach: async (place) => ({
        flow: await begin(place, "settings"),
        right: { method: "password", password: NEW_PASSWORD },
        wrong: { method: "password", password: "short" },
      }),
    },
    oidc: {
      isForBrowsers: true,
      reach: async (place) => ({
        flow: await begin(place, "settings"),
        right: { method: "oidc", link: "acme" },
        wrong: { method: "oidc", unlink: "acme" },
      }),
    },
    passkey: key("passkey", "passkey_settings_register"),
    totp: {
      tries: 5,
      async reach(place) {
        const flow = await begin(place, "settings");
        const { text } = attributesOf(flow as unknown as SettingsFlow, "totp_secret_key")!.text as {
          text: string;
        };
        const fields = (totp_code: string) => ({ method: "totp", totp_code });
        const code = codeOf(place.server, text);
        return { flow, right: fields(code), wrong: fields(otherThan(code)) };
      },
    },
    webauthn: key("webauthn", "webauthn_register"),
    lookup_secret: {
      async reach(place) {
        const flow = await begin(place, "settings");
        const made = { method: "lookup_secret", lookup_secret_regenerate: true };
        return {
          flow: (await place.walker.send("settings", flow, made)).body,
          right: { method: "lookup_secret", lookup_secret_confirm: true },
          wrong: { method: "lookup_secret" },
        };
      },
    },
  },
};

function provider(kind: Kind): Walk {
  return {
    isForBrowsers: true,
    reach: async (place) => ({
      flow: await begin(place, kind),
      right: { method: "oidc", provider: "acme" },
      wrong: { method: "oidc", provider: "nobody" },
    }),
  };
}

function key(kind: "passkey" | "webauthn", field: string): Walk {
  return {
    isForBrowsers: true,
    async reach(place) {
      const flow = await begin(place, "settings");
      if (place.walker.isProgram) return { flow, ...unsigned({ method: kind, [field]: "{}" }) };
      const options = registrationOptionsOf(flow as unknown as SettingsFlow, kind);
      const fields = (answer: string) => ({ method: kind, [field]: answer });
      const [device, liar] = [createDevice(), createDevice()];
      return {
        flow,
        right: fields(device.create(options)),
        wrong: fields(liar.create(options, { challenge: "AAAA" })),
      };
    },
  };
}
