import type { Page } from "playwright-core";
import { expect } from "vitest";
import { signIn } from "./browser.ts";
import { journey, journeys } from "./journey.ts";
import { totp } from "./totp.ts";

/** Second factors and passkeys, with an authenticator that the browser makes up. */

journeys("second factors and passkeys", () => {
  /** Authenticators sign for names, not for numbers. */
  const named = (address: string) => address.replace("127.0.0.1", "localhost");

  /** A device with a finger on it, which can be lifted. */
  async function plugIn(page: Page): Promise<{ touch(isTouched: boolean): Promise<void> }> {
    const session = await page.context().newCDPSession(page);
    await session.send("WebAuthn.enable");
    const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return {
      touch: async (enabled) => {
        await session.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
      },
    };
  }

  const section = (page: Page, name: string | RegExp) => page.getByRole("region", { name });
  const saved = (page: Page) => page.getByText("Your changes have been saved!").waitFor();
  /** From elsewhere: the page would notice, and go to the sign-in page by itself at the same time. */
  const signOut = async (page: Page) => {
    await page.goto("about:blank");
    await page.context().clearCookies();
  };

  journey(
    "a passkey is added in the profile, signs in without a password, and is removed",
    async ({ makePerson, openAt, server }) => {
      const page = await openAt(named(server.address));
      const person = await makePerson("passkey@example.com");
      const device = await plugIn(page);
      const withoutOffers = "without-offers";
      await page.addInitScript((key) => {
        if (window.origin !== "null" && sessionStorage.getItem(key) !== null)
          PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false);
      }, withoutOffers);
      await signIn(page, person);
      await page.goto("/profile-settings");
      await page.getByLabel("Name of the passkey").fill("Laptop");
      await page.getByRole("button", { name: "Add passkey" }).click();
      await saved(page);
      await page.getByRole("button", { name: 'Remove passkey "Laptop"' }).waitFor();

      // Nobody touches the device: the browser offers the passkey in the address field, and waits.
      await device.touch(false);
      await signOut(page);
      await page.goto("/login");
      const button = page.getByRole("button", { name: "Sign in with passkey" });
      await button.waitFor();
      await expect
        .poll(() => page.getByLabel(/e-?mail/i).getAttribute("autocomplete"))
        .toBe("username webauthn");
      // A browser that offers nothing in fields has the button: a touched device would answer the offer before it.
      await page.evaluate((key) => sessionStorage.setItem(key, "yes"), withoutOffers);
      await device.touch(true);
      await page.goto("/login");
      await button.click();
      await page.waitForURL((url) => !url.pathname.startsWith("/login"));
      await page.getByRole("navigation").first().waitFor();
      await page.evaluate((key) => sessionStorage.removeItem(key), withoutOffers);

      // The made-up device answers an offer as if somebody had chosen it in the field.
      await signOut(page);
      await page.goto("/login");
      await page.waitForURL((url) => !url.pathname.startsWith("/login"));
      await page.getByRole("navigation").first().waitFor();

      await page.goto("/profile-settings");
      await page.getByRole("button", { name: 'Remove passkey "Laptop"' }).click();
      await saved(page);
      await expect.poll(() => page.getByRole("button", { name: /Remove passkey/ }).count()).toBe(0);
    },
  );

  journey(
    "a security key is asked for after the password",
    async ({ makePerson, openAt, server }) => {
      const page = await openAt(named(server.address));
      const person = await makePerson("security-key@example.com");
      await plugIn(page);
      await signIn(page, person);
      await page.goto("/profile-settings");
      await page.getByLabel("Name of the security key").fill("Blue key");
      await page.getByRole("button", { name: "Add security key" }).click();
      await saved(page);

      await signOut(page);
      await page.goto("/login");
      await page.getByLabel(/e-?mail/i).fill(person.email);
      await page.getByLabel("Password").fill(person.password);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByRole("button", { name: "Use security key" }).click();
      await page.waitForURL((url) => !url.pathname.startsWith("/login"));
      await page.getByRole("navigation").first().waitFor();

      await page.goto("/profile-settings");
      await page.getByRole("button", { name: 'Remove security key "Blue key"' }).click();
      await saved(page);
    },
  );

  journey(
    "an authenticator app and backup codes are set up, asked for, and removed",
    async ({ makePerson, openAt, server }) => {
      const page = await openAt(named(server.address));
      const person = await makePerson("authenticator@example.com");
      await signIn(page, person);
      await page.goto("/profile-settings");
      const picture = page.getByRole("img", { name: /scan this picture/i });
      await picture.waitFor();
      // The content security policy lets the picture through.
      expect(
        await picture.evaluate((image: HTMLImageElement) => image.naturalWidth),
      ).toBeGreaterThan(0);
      const secret = (await page.getByText(/^[A-Z2-7]{32}$/).innerText()).trim();
      await page.getByLabel("Code that the app shows").fill(totp(secret));
      await section(page, /authenticator app/i)
        .getByRole("button", { name: "Save" })
        .click();
      await saved(page);

      await page.getByRole("button", { name: "Make new backup codes" }).click();
      const codes = page.getByText(/^[a-z2-9]{5}-[a-z2-9]{5}$/);
      await codes.first().waitFor();
      await expect.poll(() => codes.count()).toBe(12);
      const backup = await codes.first().innerText();
      await page.getByRole("button", { name: /I have kept them/ }).click();
      await saved(page);

      const passwordStep = async () => {
        await signOut(page);
        await page.goto("/login?return_to=/profile-settings");
        await page.getByLabel(/e-?mail/i).fill(person.email);
        await page.getByLabel("Password").fill(person.password);
        await page.getByRole("button", { name: "Sign in", exact: true }).click();
        await page.getByRole("heading", { name: "Second step" }).waitFor();
      };
      await passwordStep();
      await page.getByLabel("Code of your authenticator app").fill("000000");
      await page.getByRole("button", { name: "Use authenticator app" }).click();
      await page.getByText(/The code is wrong or was used already/).waitFor();
      // The next one: the one now was used to link the app.
      await page.getByLabel("Code of your authenticator app").fill(totp(secret, 1));
      await page.getByRole("button", { name: "Use authenticator app" }).click();
      await page.waitForURL((url) => url.pathname === "/profile-settings");

      await passwordStep();
      await page.getByLabel("Backup code").fill(backup);
      await page.getByRole("button", { name: "Use backup code" }).click();
      await page.waitForURL((url) => url.pathname === "/profile-settings");
      await page.getByRole("button", { name: "Show backup codes" }).click();
      await page.getByText(/^Used on \d{4}-/).waitFor();
      await expect.poll(() => codes.count()).toBe(11);

      await page.getByRole("button", { name: "Remove backup codes" }).click();
      await saved(page);
      await page.getByRole("button", { name: "Remove the authenticator app" }).click();
      await saved(page);
      await signOut(page);
      await signIn(page, person);
      await page.getByRole("navigation").first().waitFor();
    },
  );

  journey(
    "a screen that only loads the script of the flow adds a passkey and signs in with it",
    async ({ makePerson, openAt, server }) => {
      const page = await openAt(named(server.address));
      const person = await makePerson("other-screen@example.com");
      await plugIn(page);
      await signIn(page, person);
      /** A page as somebody else might write it: every input of the flow in one form, and the script. */
      const draw = (kind: string, group: string) => async () => {
        const reply = await page.request.get(`/api/.ory/self-service/${kind}/browser`, {
          headers: { accept: "application/json" },
        });
        const { ui } = (await reply.json()) as {
          ui: { action: string; nodes: { group: string; attributes: Record<string, string> }[] };
        };
        const escape = (text = "") => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
        const inputs = ui.nodes
          .filter((node) => ["default", group].includes(node.group))
          .map(({ attributes: { node_type, name, type, value, onclickTrigger, src, integrity } }) =>
            node_type === "script"
              ? `<script src="${escape(src)}" integrity="${escape(integrity)}" crossorigin="anonymous" defer></script>`
              : `<input name="${name}" type="${type}" value="${escape(value)}" ${
                  onclickTrigger ? `onclick="window.${onclickTrigger}()"` : ""
                }>`,
          );
        return `<!doctype html><form method="post" action="${escape(ui.action)}">${inputs.join("\n")}</form>`;
      };
      const show = async (path: string, html: () => Promise<string>) => {
        await page.route(`**${path}`, async (route) =>
          route.fulfill({ contentType: "text/html", body: await html() }),
        );
        await page.goto(path);
      };
      await show("/their-settings", draw("settings", "passkey"));
      await page.locator("[name=passkey_register_trigger]").click();
      await page.waitForURL((url) => url.pathname === "/profile-settings");
      await page.getByRole("button", { name: 'Remove passkey "Passkey"' }).waitFor();

      await signOut(page);
      await show("/their-login", draw("login", "passkey"));
      await page.locator("[name=passkey_login_trigger]").click();
      await page.waitForURL((url) => !url.pathname.startsWith("/their-login"));
      await page.getByRole("navigation").first().waitFor();
    },
  );
});
