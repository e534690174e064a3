// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { fakeApi } from "../../../testing/fake-api.ts";
import { renderPage } from "../../../testing/render-page.tsx";
import { buildCheck } from "../testing/build-check.ts";
import { BulkDialog } from "./BulkDialog.tsx";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const [canaryA, canaryB] = [
  "00000000-0000-4000-9000-00000000000a",
  "00000000-0000-4000-9000-00000000000b",
];
const of = (canary: string, name: string) =>
  buildCheck({ name, canary_id: canary, canary_name: canary === canaryA ? "shop" : "bank" });
const all = [
  of(canaryA, "front"),
  of(canaryA, "basket"),
  of(canaryA, "search"),
  of(canaryB, "only"),
];
const noAgent = "00000000-0000-0000-0000-000000000000";

test("chosen checks are taken out of their canaries, and can be taken back after the dialog was closed", async () => {
  const sent: unknown[] = [];
  fakeApi({
    "GET /api/db/canaries": () => ({
      body: [canaryA, canaryB].map((id) => ({
        id,
        source: null,
        agent_id: noAgent,
        deleted_at: null,
      })),
    }),
    "POST /api/canary/changes": ({ body }) => {
      const { changes } = body as { changes: { canary: string; text?: string }[] };
      sent.push(changes);
      return {
        body: {
          results: changes.map(({ canary, text }) => ({
            canary,
            outcome: "changed",
            ...(text === undefined && { undo: { canary, text: `of ${canary}`, seen: "1" } }),
          })),
        },
      };
    },
  });
  const chosen = all.filter(({ name }) => name !== "search");
  function Page() {
    const [isOpen, setIsOpen] = useState(true);
    return isOpen ? (
      <BulkDialog action="delete" chosen={chosen} all={all} onClose={() => setIsOpen(false)} />
    ) : null;
  }
  const { user } = renderPage(Page, { path: "/health", address: "/health" });
  const dialog = await screen.findByRole("dialog", { name: "Delete 3 checks?" });
  await screen.findByText(/front, basket/);
  expect(dialog.textContent).toContain("front, basket – 1 other of it stays");
  expect(dialog.textContent).toContain("only – with the canary, which has no others");
  await user.click(screen.getByRole("button", { name: "Delete 3 checks" }));
  await screen.findByRole("button", { name: "Undo 2" });
  expect(sent).toEqual([
    [
      { canary: canaryA, removed: [all[0]!.id, all[1]!.id] },
      { canary: canaryB, deleted: true },
    ],
  ]);
  await user.click(screen.getAllByRole("button", { name: "Close" }).at(-1)!);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await user.click(await screen.findByRole("button", { name: "Undo" }));
  await screen.findByText("2 canaries as before");
  expect(sent[1]).toEqual([
    { canary: canaryA, text: `of ${canaryA}`, seen: "1" },
    { canary: canaryB, text: `of ${canaryB}`, seen: "1" },
  ]);
});
