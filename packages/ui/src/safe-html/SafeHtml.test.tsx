// @vitest-environment happy-dom
import { cleanup, render } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { SafeHtml } from "./SafeHtml.tsx";

afterEach(cleanup);

const shown = (html: string) =>
  render(<SafeHtml html={html} />).container.firstElementChild!.innerHTML;

test.each([
  ["a text without marks", "1 < 2 & 3", "1 &lt; 2 &amp; 3"],
  ["paragraphs and words", "<p>a <b>b</b> <i>c</i></p>", "<p>a <strong>b</strong> <em>c</em></p>"],
  ["lists", "<ul><li>a</li></ul>", "<ul><li>a</li></ul>"],
  ["headings as paragraphs", "<h1>a</h1>", "<p>a</p>"],
  ["a script", "a<script>alert(1)</script>b", "ab"],
  ["a handler", '<p onclick="alert(1)">a</p>', "<p>a</p>"],
  ["an image", '<img src="x" onerror="alert(1)">a', "a"],
  ["a style", '<style>p{}</style><p style="position:fixed" class="x" id="y">a</p>', "<p>a</p>"],
  ["a frame", '<iframe srcdoc="<p>b</p>">in it</iframe>a', "a"],
  ["a drawing", "<svg><a href='javascript:alert(1)'>x</a></svg>a", "a"],
  ["a form", '<form action="https://x"><input name="a"><button>go</button></form>', "go"],
  ["an unknown element", "<blink>a</blink>", "a"],
  ["what every object has is no element", "<constructor>a</constructor>", "a"],
])("%s", (_name, html, expected) => {
  expect(shown(html)).toBe(expected);
});

test.each([
  ["https://example.com/a?b=c", "https://example.com/a?b=c"],
  ["http://example.com", "http://example.com/"],
  ["javascript:alert(1)", null],
  [" java\nscript:alert(1)", null],
  ["data:text/html,x", null],
  ["/settings/users", null],
])("a link to %j leads to %j", (href, expected) => {
  const { container } = render(<SafeHtml html={`<a href="${href}">a</a>`} />);
  const link = container.querySelector("a");
  expect(link?.getAttribute("href") ?? null).toBe(expected);
  if (link) expect([link.rel, link.target]).toEqual(["noreferrer", "_blank"]);
  expect(container.textContent).toBe("a");
});

test("what goes on and on is cut", () => {
  const { container } = render(<SafeHtml html={`${"<div>".repeat(500)}deep`} />);
  expect(container.querySelectorAll("div").length).toBeLessThan(60);
});

test("of very much the beginning is shown, and that there is more", () => {
  const { container } = render(<SafeHtml html={"<b>a</b>".repeat(20_000)} />);
  expect(container.querySelectorAll("strong").length).toBeLessThan(5_001);
  expect(container.querySelectorAll("p")).toHaveLength(1);
  expect(container.textContent).toMatch(/aThere is more than is shown here\.$/);
});

test("a text of nothing but beginnings of tags holds nobody up", () => {
  const start = performance.now();
  expect(shown("<a".repeat(50_000))).toBe("");
  // Compared with each other they take half a minute.
  expect(performance.now() - start).toBeLessThan(5_000);
});
