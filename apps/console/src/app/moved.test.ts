import { expect, test } from "vitest";
import { moved, movedTo } from "./moved.ts";

test.each([
  ["/configs", "/configs", "/catalog"],
  ["/config", "/config/abc/changes", "/catalog/abc/changes"],
  ["/settings/notifications", "/settings/notifications/rules", "/notifications/rules"],
  [
    "/settings/event-deliveries",
    "/settings/event-deliveries",
    "/settings/event-queue-status/deliveries",
  ],
  ["/settings", "/settings", "/profile-settings"],
])("by %s, %s leads to %s", (of, path, to) => {
  expect(
    movedTo(
      moved.find(({ from }) => from === of)!,
      path,
    ),
  ).toBe(to);
});
