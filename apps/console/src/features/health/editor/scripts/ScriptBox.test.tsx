// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeApi, type FakeRoute } from "../../../../testing/fake-api.ts";
import { renderPage } from "../../../../testing/render-page.tsx";
import { ScriptBox } from "./ScriptBox.tsx";

const text = `metadata:
  name: shop
spec:
  http:
    - name: front
      url: https://example.com
      test:
        expr: code == 200
`;
let asked: Record<string, unknown>[];
let routes: Record<string, FakeRoute>;
let answer: unknown;

beforeEach(() => {
  localStorage.clear();
  asked = [];
  answer = { value: true, text: "true" };
  ({ routes } = fakeApi({
    "GET /api/db/checks": () => ({
      body: [
        {
          id: "c1",
          name: "front",
          type: "http",
          description: null,
          labels: null,
          canary: { id: "y1", name: "shop", namespace: "default", labels: {} },
        },
      ],
    }),
    "GET /api/db/check_statuses": () => ({
      body: [{ status: true, duration: 31, message: "ok", error: null, details: { code: 200 } }],
    }),
    "POST /api/canary/script": ({ body }) => {
      asked.push(body as Record<string, unknown>);
      return { body: answer };
    },
  }));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function open({ id = "y1" }: { id?: string | undefined } = {}) {
  function Page() {
    const [written, setWritten] = useState(text);
    const [offset, setOffset] = useState(text.indexOf("code") + 2);
    return (
      <>
        <textarea
          aria-label="Document"
          value={written}
          onChange={(event) => setWritten(event.target.value)}
        />
        <button onClick={() => setOffset(3)}>Elsewhere</button>
        <ScriptBox text={written} offset={offset} id={id || undefined} />
      </>
    );
  }
  return renderPage(Page, { path: "/", address: "/" }).user;
}
const result = () => screen.findByRole("status", { name: "Result" });

test("the script at the cursor is evaluated with the last result of its check", async () => {
  const user = open();
  expect((await result()).textContent).toBe("ValuetrueThe check would pass.");
  expect(asked.at(-1)).toMatchObject({
    language: "cel",
    script: "code == 200",
    check: "c1",
  });
  expect(JSON.parse(screen.getByLabelText<HTMLTextAreaElement>("Context").value)).toMatchObject({
    code: 200,
    duration: 31,
    pass: true,
    message: "ok",
    check: { name: "front" },
  });
  await user.click(screen.getByRole("button", { name: "Elsewhere" }));
  expect(screen.queryByRole("region", { name: "Try the script" })).toBeNull();
});

test("what is written in its place is tried, kept, and given up again", async () => {
  const user = open();
  await result();
  const context = screen.getByLabelText<HTMLTextAreaElement>("Context");
  fireEvent.change(context, { target: { value: '{"code": 500}' } });
  await waitFor(() => expect(asked.at(-1)).toMatchObject({ context: { code: 500 } }));
  fireEvent.change(context, { target: { value: '{"code": ' } });
  expect(context.getAttribute("aria-invalid")).toBe("true");
  fireEvent.change(context, { target: { value: '{"code": 404}' } });
  cleanup();
  open();
  const again = await screen.findByLabelText<HTMLTextAreaElement>("Context");
  expect(again.value).toBe('{"code": 404}');
  await user.click(await screen.findByRole("button", { name: "Use the last result" }));
  expect(again.value).toContain('"duration": 31');
});

test("a mistake is shown with its line and column, a text as a text", async () => {
  answer = { error: "undeclared reference to 'cod'", line: 1, column: 4 };
  open();
  expect((await result()).textContent).toBe("Line 1, column 4undeclared reference to 'cod'");
  answer = { value: "took 31 ms", text: "took 31 ms" };
  fireEvent.change(screen.getByLabelText("Document"), {
    target: { value: text.replace("test:", "display:").replace("200", "duration") },
  });
  await waitFor(async () =>
    expect((await result()).textContent).toBe("Texttook 31 msThe message would be: took 31 ms"),
  );
});

test("while the text is not YAML the script stays; a refusal is said", async () => {
  routes["POST /api/canary/script"] = () => ({
    status: 413,
    body: { error: "too large" },
  });
  open();
  expect((await screen.findByRole("alert")).textContent).toBe("too large");
  fireEvent.change(screen.getByLabelText("Document"), { target: { value: `${text}\n  x: [` } });
  expect(screen.getByRole("region", { name: "Try the script" })).toBeTruthy();
});

test("a check that has not run yet has a made-up context", async () => {
  open({ id: "" });
  await result();
  expect(asked.at(-1)).toMatchObject({ context: { check: { name: "front", type: "http" } } });
  expect(screen.getByText(/no result yet/)).toBeTruthy();
});
