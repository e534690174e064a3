// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openConsole, shownPage } from "../testing/real-console.tsx";

beforeEach(() => localStorage.clear());
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const names = {
  "every script": "Łukasz 王小明 محمد שלום अनिल สมชาย გიორგი 👩‍👩‍👧‍👦",
  "turned around": "\u202Eadmin\u202C",
  "piled up": `Z${"\u0337\u0349".repeat(200)}algo`,
  "nothing to see": "\u200B\u2060\uFEFF",
  markup: `<img src=x onerror="alert(1)"><script>alert(1)</script>{{7*7}}`,
  "half a letter": "a\uD800b",
  "10,000 letters": "W".repeat(10_000),
};

test.each(Object.entries(names))("a name of %s is only a name", async (_kind, name) => {
  const answers = {
    "GET /api/auth/whoami": () => ({
      body: { payload: { user: { id: "p1", name, email: `${"e".repeat(9_000)}@example.com` } } },
    }),
    "GET /api/.ory/self-service/logout/browser": () => ({ body: { logout_token: "t" } }),
    "POST /api/resources/search": () => ({
      body: { checks: [{ id: "c1", name, namespace: name, type: name, labels: {} }] },
    }),
  };
  const { user } = await openConsole({ roles: ["admin"], answers });
  const trigger = await screen.findByRole("button", { name: "User menu" });
  expect(trigger.dataset["tooltip"]?.length).toBeLessThanOrEqual(80);
  await user.click(trigger);
  const greeting = await screen.findByText((text) => text === `Hi, ${name}`, {
    normalizer: (text) => text,
  });
  // One line, whatever its length.
  expect(greeting.className).toContain("truncate");
  await user.keyboard("{Escape}{Control>}k{/Control}");
  await user.type(await screen.findByRole("combobox"), "Łuk");
  await screen.findByText("Checks");
  expect(document.querySelector("img[src=x], script")).toBeNull();
  expect(shownPage()).toBe("Documentation");
});

test.each([
  ["none", null],
  ["not a picture", "data:image/png;base64,AAAA"],
  ["not an address", "javascript:alert(1)"],
  ["of another host, which is not asked", "https://elsewhere.example/a.png"],
])("an avatar that is %s leaves the first letters", async (_kind, avatar) => {
  const answers = {
    "GET /api/auth/whoami": () => ({
      body: { payload: { user: { id: "p1", name: "Ada Lovelace", email: "a@b", avatar } } },
    }),
  };
  await openConsole({ roles: ["admin"], answers });
  const trigger = await screen.findByRole("button", { name: "User menu" });
  const picture = trigger.querySelector("img");
  expect(picture === null).toBe(avatar === null);
  if (picture) {
    // However large it is, it takes the place of the letters.
    expect([picture.width, picture.height]).toEqual([26, 26]);
    fireEvent.error(picture);
  }
  expect(trigger.querySelector("img")).toBeNull();
  expect(trigger.textContent).toBe("AL");
});

test("properties of any name switch off only what they name", async () => {
  const odd = ["__proto__", "constructor", "toString", "", "health ", "HEALTH", "x".repeat(10_000)];
  const flags = Object.fromEntries([
    ...odd.map((name) => [`${name}.disable`, "true"]),
    ["health.disabled", "true"],
    ["__proto__", "true"],
  ]) as Record<string, string>;
  await openConsole({ roles: ["admin"], flags, address: "/health" });
  await vi.waitFor(() => expect(shownPage()).toBe("Health"), 10_000);
});

test("the search stands where nothing that a page shows in the bar can push it", async () => {
  await openConsole({ roles: ["admin"], address: "/settings/users" });
  const refresh = await screen.findByRole("button", { name: "Refresh" });
  const search = screen.getByRole("button", { name: /^Search/ });
  // The bar is filled from its right end.
  expect(refresh.compareDocumentPosition(search)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
});
