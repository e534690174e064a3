import { cleanup, configure, prettyDOM } from "@testing-library/react";
import * as React from "react";
import { vi } from "vitest";

/**
 * Before each test file of what draws. A worker reads the libraries once and has one document for all of its files: what
 * modules of ours keep, and what stands in the document, is each file's own all the same.
 */

vi.resetModules();
if (typeof window !== "undefined") {
  cleanup();
  const { happyDOM } = window as unknown as { happyDOM: { setURL(address: string): void } };
  happyDOM.setURL("http://localhost:3000/");
  document.head.replaceChildren();
  document.body.replaceChildren();
  localStorage.clear();
  sessionStorage.clear();
}

// React makes an error for each element, to tell in a warning who made it: a seventh of the work of drawing.
const internals = Object.entries(React).find(([name]) => name.startsWith("__CLIENT_INTERNALS"));
if (internals)
  Object.defineProperty(internals[1], "recentlyCreatedOwnerStacks", {
    get: () => Number.POSITIVE_INFINITY,
    set() {},
    configurable: true,
  });

configure({
  // Pages fetch parts of themselves; a machine that is busy with other tests takes its time.
  asyncUtilTimeout: 10_000,
  // What is waited for is missing most of the times that it is looked for: the document is written down for who reads it.
  getElementError: function elementError(message, container) {
    const error = new Error(message ?? "");
    Error.captureStackTrace(error, elementError);
    error.name = "TestingLibraryElementError";
    Object.defineProperty(error, "message", {
      get: () => [message, prettyDOM(container as HTMLElement)].filter(Boolean).join("\n\n"),
      configurable: true,
    });
    return error;
  },
});
