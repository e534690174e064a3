// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { fakeApi, type FakeRoute } from "../../testing/fake-api.ts";
import { renderPage } from "../../testing/render-page.tsx";
import { SnapshotDialog } from "./SnapshotDialog.tsx";

// Fetched with the first dialog: not what is waited for below.
beforeAll(() => import("@mainstay/ui/popups/DialogPopup.tsx"));
const saved: { name: string; content: Blob }[] = [];
beforeEach(() => {
  saved.length = 0;
  let last: Blob | undefined;
  vi.spyOn(URL, "createObjectURL").mockImplementation((content) => {
    last = content as Blob;
    return "blob:it";
  });
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function click(
    this: HTMLAnchorElement,
  ) {
    saved.push({ name: this.download, content: last! });
  });
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const onClose = vi.fn<() => void>();
function show(answer: FakeRoute, Dialog = Component) {
  onClose.mockReset();
  const api = fakeApi({
    "GET /api/snapshot/topology/c1": answer,
    "GET /api/snapshot/config/i1": answer,
  });
  return { ...api, ...renderPage(Dialog, { path: "/x", address: "/x" }) };
}
const Component = () => (
  <SnapshotDialog component={{ id: "c1", name: "shop: a/b" }} onClose={onClose} />
);
const Item = () => <SnapshotDialog item={{ id: "i1", name: null }} onClose={onClose} />;

test("asks for the last quarter of an hour without what is related, and saves it by its name", async () => {
  const { user, calls } = show(() => ({
    body: "zip",
    headers: { "content-type": "application/zip" },
  }));
  await user.click(await screen.findByRole("button", { name: "Download" }));
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(calls).toEqual(["GET /api/snapshot/topology/c1?start=15m&related=false"]);
  expect(saved.map(({ name }) => name)).toEqual(["shop_ a_b-snapshot.zip"]);
  expect(await saved[0]!.content.text()).toBe('"zip"');
  expect(saved[0]!.content.type).toBe("application/zip");
});

test("what was chosen is asked for, and is still there when that fails", async () => {
  let tries = 0;
  const { user, calls } = show(() => {
    tries += 1;
    return tries === 1
      ? { status: 429, body: { error: "Too many requests of yours are under way." } }
      : { body: "zip", headers: { "content-type": "application/zip" } };
  }, Item);
  await user.selectOptions(await screen.findByLabelText("Time range"), "Last day");
  await user.click(screen.getByLabelText("Include related items"));
  await user.click(screen.getByRole("button", { name: "Download" }));
  expect((await screen.findByRole("alert")).textContent).toBe(
    "Error downloading file. Too many requests of yours are under way.",
  );
  expect([onClose.mock.calls.length, saved.length]).toEqual([0, 0]);
  expect(screen.getByLabelText<HTMLSelectElement>("Time range").value).toBe("1d");
  await user.click(screen.getByRole("button", { name: "Download" }));
  await waitFor(() => expect(saved.map(({ name }) => name)).toEqual(["i1-snapshot.zip"]));
  expect(new Set(calls)).toEqual(new Set(["GET /api/snapshot/config/i1?start=1d&related=true"]));
});

test("says how much has come, saves nothing of what is cut off, and ends with its dialog", async () => {
  let stream!: ReadableStreamDefaultController<Uint8Array>;
  const signals: AbortSignal[] = [];
  const { user } = show(() => ({ body: "" }));
  vi.stubGlobal("fetch", async (_path: string, { signal }: { signal: AbortSignal }) => {
    signals.push(signal);
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => void (stream = controller),
    });
    return new Response(body, { headers: { "content-type": "application/zip" } });
  });
  await user.click(await screen.findByRole("button", { name: "Download" }));
  await waitFor(() => expect(signals).toHaveLength(1));
  stream.enqueue(new Uint8Array(2_500_000));
  await waitFor(() => expect(screen.getByText(/^2.5.MB so far$/)).toBeTruthy());
  stream.error(new TypeError("network error"));
  expect((await screen.findByRole("alert")).textContent).toContain("Error downloading file");
  await user.click(screen.getByRole("button", { name: "Download" }));
  await waitFor(() => expect(signals).toHaveLength(2));
  cleanup();
  expect([signals[1]!.aborted, saved]).toEqual([true, []]);
});
