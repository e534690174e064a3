import { expect, test } from "vitest";
import { logBackendTypes } from "@mainstay/contract/logs/backend-types.ts";
import { backendFields } from "./backend-fields.ts";

test.each(logBackendTypes)(
  "%s asks for everything once, whatever older documents call it",
  (type) => {
    const text = JSON.stringify(backendFields(type));
    expect(text).toContain('"routes"');
    expect(text).not.toContain("Another spelling of");
    expect(text).not.toContain('"idPrefix"');
  },
);
