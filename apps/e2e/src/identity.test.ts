// Takes long: every flow is walked in a browser, with its mails.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { accessibilityFindings } from "./axe.ts";
import { signIn } from "./browser.ts";
import { journey, journeys } from "./journey.ts";
import { type MailBox, startMailBox } from "./mail.ts";
import { type RunningServer, startServer } from "./server.ts";
import { totp } from "./totp.ts";

const password = "seventeen blue umbrellas";
const newPassword = "twelve monkeys on bicycles";

journeys("people and their accounts", () => {
  // Its own: people can register, and mail is sent.
  let server: RunningServer;
  let mail: MailBox;
  /** By name: keys are bound to names, not to numbers. */
  let address: string;

  beforeAll(async () => {
    mail = await startMailBox();
    server = await startServer({ env: { REGISTRATION: "open", SMTP_URL: mail.address } });
    address = server.address.replace("127.0.0.1", "localhost");
  });
  afterAll(async () => {
    await server?.stop();
    await mail?.close();
  });

  const section = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
  const inUserMenu = async (page: Page, entry: string) => {
    await page.getByRole("button", { name: "User menu" }).click();
    await page.getByRole("menuitem", { name: entry }).click();
  };

  async function signOut(page: Page): Promise<void> {
    await inUserMenu(page, "Sign out");
    await page.waitForURL(/\/login/);
  }

  /** Registers somebody, who is then signed in. */
  async function register(page: Page, email: string): Promise<void> {
    await page.goto("/login?return_to=%2Fprofile-settings");
    await page.getByRole("link", { name: "Create an account" }).click();
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("First name").fill("Ada");
    await page.getByLabel("Last name").fill("Lovelace");
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign up" }).click();
    await page.getByLabel("Registration code").fill(await mail.codeFor(email));
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => !/login|registration/.test(url.pathname));
  }

  journey("somebody registers by the code of a mail and is a viewer", async ({ openAt }) => {
    const page = await openAt(address);
    await register(page, "ada@example.org");
    await page.goto("/profile-settings");
    await section(page, "Profile").getByLabel("E-mail").waitFor();
    await expect
      .poll(() => section(page, "Profile").getByLabel("First name").inputValue())
      .toBe("Ada");
    // A viewer has no Settings.
    await page.getByRole("navigation", { name: "Main" }).waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Settings" }).count()).toBe(0);
    await page.goto("/settings/users");
    await page.getByText("Unauthorized - You do not have permission to access this page").waitFor();
  });

  journey("a forgotten password is replaced by way of the mail box", async ({ openAt }) => {
    const page = await openAt(address);
    const email = "bea@example.org";
    await register(page, email);
    await signOut(page);
    await page.getByRole("link", { name: "Forgot your password?" }).click();
    await page.getByLabel("E-mail").fill(email);
    await page.keyboard.press("Enter");
    const code = await mail.codeFor(email);
    await page.getByLabel("Recovery code").fill(code === "000000" ? "111111" : "000000");
    await page.keyboard.press("Enter");
    await page.getByText("The code is wrong").waitFor();
    await page.getByLabel("Recovery code").fill(code);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/profile-settings\?flow=/);
    await section(page, "Password").getByLabel("New password").fill(newPassword);
    await page.keyboard.press("Enter");
    await section(page, "Password").getByText("Your changes have been saved").waitFor();
    await signOut(page);
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill(password);
    await page.keyboard.press("Enter");
    await page.getByText(/is wrong/).waitFor();
    await page.getByLabel("Password").fill(newPassword);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/profile-settings/);
  });

  journey(
    "a name and a password are changed; a weak one is refused with a reason",
    async ({ openAt }) => {
      const page = await openAt(address);
      const email = "cyd@example.org";
      await register(page, email);
      await page.goto("/profile-settings");
      const profile = section(page, "Profile");
      await profile.getByLabel("First name").fill("Cyd");
      await page.keyboard.press("Enter");
      await profile.getByText("Your changes have been saved").waitFor();
      await page.getByRole("button", { name: "User menu" }).click();
      await page.getByText("Hi, Cyd Lovelace").waitFor();
      await page.keyboard.press("Escape");

      const field = section(page, "Password").getByLabel("New password");
      await field.fill("password");
      await page.keyboard.press("Enter");
      await section(page, "Password").getByRole("alert").waitFor();
      await expect.poll(() => field.getAttribute("aria-invalid")).toBe("true");
      await field.fill(newPassword);
      await page.keyboard.press("Enter");
      await section(page, "Password").getByText("Your changes have been saved").waitFor();
      await signOut(page);
      await signIn(page, { email, password: newPassword });
    },
  );

  journey("an app and backup codes are a second step at the sign-in", async ({ openAt }) => {
    const page = await openAt(address);
    const email = "dee@example.org";
    await register(page, email);
    await page.goto("/profile-settings");
    const app = section(page, "Authenticator app");
    const secret = await app.locator("p.font-mono").textContent();
    await app.getByRole("textbox").fill(totp(secret!));
    await page.keyboard.press("Enter");
    await app.getByText("Your changes have been saved").waitFor();

    const backup = section(page, "Backup codes");
    await backup.getByRole("button").first().click();
    const first = await backup.getByRole("listitem").first().textContent();
    await backup.getByRole("button", { name: /use these codes/ }).click();
    await backup.getByText("Your changes have been saved").waitFor();

    await signOut(page);
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill(password);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Second step" }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    // The step just used is not taken twice; the next one is within what a clock may be off.
    await page.locator("input[name=totp_code]").fill(totp(secret!, 1));
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/profile-settings/);

    await signOut(page);
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill(password);
    await page.keyboard.press("Enter");
    await page.locator("input[name=lookup_secret]").fill(first!.trim());
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/profile-settings/);
  });

  journey("a passkey signs in without a password", async ({ openAt }) => {
    const page = await openAt(address);
    // The simulated key takes every offer of the browser at once; the button is only met without offers.
    await page.addInitScript(() => {
      if (sessionStorage.getItem("no-offer"))
        PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false);
    });
    const keys = await page.context().newCDPSession(page);
    await keys.send("WebAuthn.enable");
    await keys.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await register(page, "eve@example.org");
    await page.goto("/profile-settings");
    const passkeys = section(page, "Passkeys");
    await passkeys.getByRole("button").first().click();
    await passkeys.getByText("Your changes have been saved").waitFor();
    await passkeys.getByRole("button", { name: /remove/i }).waitFor();
    await page.evaluate(() => sessionStorage.setItem("no-offer", "yes"));
    await signOut(page);
    await page.getByRole("button", { name: "Sign in with passkey" }).click();
    await page.waitForURL(/\/profile-settings/);
    // And by the browser's own offer, without any button.
    await page.evaluate(() => sessionStorage.removeItem("no-offer"));
    await Promise.all([
      page.waitForRequest((request) => request.url().includes("/self-service/login?flow=")),
      inUserMenu(page, "Sign out"),
    ]);
    await page.waitForURL(/\/profile-settings/);
  });

  journey("a security key is a second step at the sign-in", async ({ openAt }) => {
    const page = await openAt(address);
    const keys = await page.context().newCDPSession(page);
    await keys.send("WebAuthn.enable");
    await keys.send("WebAuthn.addVirtualAuthenticator", {
      options: { protocol: "ctap2", transport: "usb", automaticPresenceSimulation: true },
    });
    const email = "fay@example.org";
    await register(page, email);
    await page.goto("/profile-settings");
    const section2 = section(page, "Security keys");
    await section2.getByRole("textbox").fill("blue key");
    await section2.getByRole("button").click();
    await section2.getByText("Your changes have been saved").waitFor();
    await signOut(page);
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill(password);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Second step" }).waitFor();
    await page.getByRole("button", { name: /security key/i }).click();
    await page.waitForURL(/\/profile-settings/);
  });

  journey("a session elsewhere is seen and ended", async ({ openAt }) => {
    const page = await openAt(address);
    const email = "gil@example.org";
    await register(page, email);
    const other = await openAt(address);
    await signIn(other, { email, password });
    await page.goto("/profile-settings");
    const sessions = section(page, "Where you are signed in");
    await sessions.getByText("This device").waitFor();
    await sessions.getByRole("button", { name: /^Sign out Chrome/ }).click();
    await page.getByText("Signed out there").waitFor();
    await other.goto("/health");
    await other.waitForURL(/\/login/);
  });

  journey("what is in the address decides where one ends up", async ({ openAt }) => {
    const page = await openAt(address);
    await page.goto("/settings/users?x=1");
    await page.waitForURL(/\/login\?/);
    await page.getByLabel("E-mail").fill(server.email);
    await page.getByLabel("Password").fill(server.password);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/settings\/users\?x=1$/);
    await page.goto("/");
    await page.waitForURL(/\/topology$/);
    await page.goto("/settings?flow=none");
    await page.waitForURL(/\/profile-settings/);
    // Signed in already: on to where it would have led, and nowhere else.
    await page.goto("/login?return_to=%2Fdocs");
    await page.waitForURL(/\/docs$/);
    await page.goto("/login?return_to=%2F%2Fevil.example");
    await page.waitForURL(/\/topology$/);
  });
});
