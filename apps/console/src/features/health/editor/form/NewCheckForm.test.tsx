// @vitest-environment happy-dom
import { cleanup, screen, within } from "@testing-library/react";
import { useState } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { fakeApi } from "../../../../testing/fake-api.ts";
import { renderPage } from "../../../../testing/render-page.tsx";
import { askedBy } from "./main-fields.ts";
import { NewCheckForm } from "./NewCheckForm.tsx";

let now: string;
const onText = vi.fn();
function open(initial = "", refused?: { path: string; message: string }[]) {
  now = initial;
  function Page() {
    const [text, setText] = useState(initial);
    const write = (next: string) => {
      now = next;
      setText(next);
    };
    return (
      <NewCheckForm
        text={text}
        onChange={write}
        onText={onText}
        isTried={refused !== undefined}
        readOnly={false}
        {...(refused && { refused })}
      />
    );
  }
  return renderPage(Page, { path: "/", address: "/", session: { roles: ["admin"] } }).user;
}
beforeEach(() => {
  fakeApi({ "GET /api/db/connections": () => ({ body: [] }) });
});
afterEach(() => {
  cleanup();
  onText.mockClear();
  vi.unstubAllGlobals();
});
const name = () => screen.findByRole<HTMLInputElement>("textbox", { name: "Name" });

test("a type is found by typing, then four fields are asked for", async () => {
  const user = open();
  await user.type(await screen.findByRole("searchbox", { name: "Search check types" }), "look-ups");
  await user.keyboard("{Enter}");
  const field = await name();
  expect(document.activeElement).toBe(field);
  // What is there is taken the place of.
  await user.keyboard("resolver");
  await user.type(screen.getByRole("textbox", { name: "Query" }), "example.com");
  await user.type(screen.getByRole("textbox", { name: "Server" }), "9.9.9.9");
  await user.selectOptions(screen.getByRole("combobox", { name: "Schedule" }), "@hourly");
  expect(screen.getByText(/^Every hour, on the hour\. Next/).textContent).toMatch(
    /Next: .+, .+, .+/,
  );
  await user.selectOptions(screen.getByRole("combobox", { name: "Severity" }), "high");
  expect(parse(now)).toEqual({
    apiVersion: "canaries.flanksource.com/v1",
    kind: "Canary",
    metadata: { name: "resolver", namespace: "default" },
    spec: {
      schedule: "@hourly",
      severity: "high",
      dns: [{ name: "resolver", query: "example.com", server: "9.9.9.9" }],
    },
  });
});

test("any other schedule can be typed, and what is wrong with it is said there", async () => {
  const user = open();
  await user.click(await screen.findByRole("button", { name: "TCP" }));
  await user.selectOptions(await screen.findByRole("combobox", { name: "Schedule" }), "other");
  const typed = screen.getByRole("textbox", { name: "Schedule, typed" });
  await user.clear(typed);
  await user.type(typed, "0 9 * * 1-5");
  expect(screen.getByText(/^Monday to Friday at 09:00/)).toBeTruthy();
  await user.type(typed, " 7");
  expect(typed.getAttribute("aria-invalid")).toBe("true");
  expect(
    document.getElementById(typed.getAttribute("aria-describedby")!.split(" ").at(-1)!)!
      .textContent,
  ).toContain("5 fields");
});

const written = `# mine
kind: Canary
apiVersion: canaries.flanksource.com/v1
metadata:
  name: shop  # ours
spec:
  http:
    - name: front
      url: https://example.com/
  # what others read
  unknownThing: {kept: true}
`;

test("more opens the whole form, and another type keeps the name and the notes", async () => {
  const user = open(written);
  expect((await name()).value).toBe("front");
  // The document is called otherwise already, so it stays.
  await user.type(await name(), "s");
  expect(now).toBe(written.replace("name: front", "name: fronts"));
  await user.click(screen.getByRole("button", { name: "More fields" }));
  const whole = within(screen.getByRole("region", { name: "Check" }));
  await user.type(whole.getByLabelText("Threshold millis"), "500");
  expect(parse(now).spec.http[0].thresholdMillis).toBe(500);
  await user.click(screen.getByRole("button", { name: "Fewer fields" }));
  await user.click(screen.getByRole("button", { name: "Change type" }));
  await user.click(screen.getByRole("button", { name: "SMB" }));
  expect(parse(now).spec).toEqual({
    folder: [{ name: "fronts", smbConnection: {} }],
    unknownThing: { kept: true },
  });
  for (const note of ["# mine", "# ours", "# what others read"]) expect(now).toContain(note);
  expect(screen.getByRole("button", { name: /^SMB connection/ })).toBeTruthy();
});

test("several checks are the whole form at once; a document can be pasted instead", async () => {
  open(`${written}  tcp:\n    - {name: b, endpoint: "c:1"}\n`);
  expect(await screen.findByRole("combobox", { name: "Check" })).toBeTruthy();
  cleanup();
  const user = open();
  await user.click(await screen.findByRole("button", { name: "Paste a document" }));
  expect(onText).toHaveBeenCalled();
  await user.click(screen.getByRole("button", { name: "Custom: write YAML" }));
  expect(now).toContain("kind: Canary");
});

test("what the server refused and what is missing stand at their fields", async () => {
  const message = "It leads into the machine.";
  open(written, [{ path: "spec.http.0.url", message }]);
  expect(await screen.findByText(message)).toBeTruthy();
  expect(screen.getByRole("textbox", { name: "URL" }).getAttribute("aria-invalid")).toBe("true");
  cleanup();
  const user = open(written, []);
  await user.clear(await name());
  expect(screen.getByText("This field is required")).toBeTruthy();
});

test("what a check asks is told without its secrets", () => {
  expect(askedBy("http", { url: "https://ann:pears@example.com/a" })).toBe(
    "https://********@example.com/a",
  );
  expect(askedBy("dns", { query: "example.com", server: "9.9.9.9" })).toBe("example.com · 9.9.9.9");
  expect(askedBy("dynatrace", { host: "h", apiKey: { value: "s" } })).toBe("h");
  // Short ways to write the same.
  expect(askedBy("dynatrace", { host: "h", apiKey: "s" })).toBe("h");
  expect(askedBy("restic", { repository: "/backup", password: "pears" })).toBe("/backup");
});
