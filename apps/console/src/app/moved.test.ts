import { expect, test } from "vitest";
import { moved, movedTo } from "./moved.ts";

test.each([
  ["/configs", "/catalog"],
  ["/config/abc/changes", "/catalog/abc/changes"],
  ["/settings/notifications/rules", "/notifications/rules"],
  ["/settings", "/profile-settings"],
])("%s leads to %s", (path, to) => {
  const entry = moved.find(
    ({ from, andBelow }) => path === from || (andBelow && path.startsWith(`${from}/`)),
  );
  expect(entry && movedTo(entry, path)).toBe(to);
});
