import { expect, test } from "vitest";
import { returnToTricks } from "../testing/return-to-tricks.ts";
import { readReturnTo } from "./return-to.ts";
import { SelfServiceError } from "./self-service-error.ts";

const origins = ["https://mainstay.example.org", "http://127.0.0.1:3100"];

test.each<[unknown, string | undefined]>([
  [undefined, undefined],
  ["", undefined],
  ["/", "/"],
  ["/health", "/health"],
  [
    "/health?timeRange=1h&labels=%7B%22a%22%3A1%7D#top",
    "/health?timeRange=1h&labels=%7B%22a%22%3A1%7D#top",
  ],
  ["/health?query=a\\b", "/health?query=a\\b"],
  ["/health?next=//evil.example", "/health?next=//evil.example"],
  ["/catalog/a%20b/漢 ü?q=ß#ö", "/catalog/a%20b/%E6%BC%A2%20%C3%BC?q=%C3%9F#%C3%B6"],
  ["/catalog/100%25", "/catalog/100%25"],
  ["/a//b", "/a//b"],
  ["/a/../b", "/b"],
  ["https://mainstay.example.org/health", "https://mainstay.example.org/health"],
  ["http://127.0.0.1:3100/health", "http://127.0.0.1:3100/health"],
])("%j is a way back", (given, expected) => {
  expect(readReturnTo(given, origins)).toBe(expected);
});

test.each<[unknown]>([
  ...returnToTricks.map((trick): [unknown] => [trick]),
  [["/health", "//evil.example"]],
  [{ path: "/health" }],
])("%j is refused", (given) => {
  expect(() => readReturnTo(given, origins)).toThrow(SelfServiceError);
});
