import { expect, test } from "vitest";
import { asWebAddress } from "./read-json.ts";

test("a browser is led to the web, and nowhere else", () => {
  expect(asWebAddress("https://dev.example.org/shop?id=1")).toBe(
    "https://dev.example.org/shop?id=1",
  );
  for (const other of [
    "javascript:alert(1)",
    "file:///etc/passwd",
    "data:text/html,x",
    "/a",
    "http://",
    "",
    5,
  ])
    expect(asWebAddress(other)).toBeUndefined();
});
