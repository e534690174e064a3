// @vitest-environment happy-dom
import { cleanup, render } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { MomentTimeline } from "./MomentTimeline.tsx";

afterEach(cleanup);

test.each([
  ["of one day by the time of day", 3_600_000, /\d\d:\d\d/],
  ["of weeks by the day", 20 * 86_400_000, /^[^:]+$/],
])("a line %s says where it begins", (_what, span, words) => {
  const now = Date.parse("2026-11-28T12:00:00Z");
  const { getByText } = render(
    <MomentTimeline
      stretches={[{ from: now - span, moment: undefined }]}
      now={now}
      shown={0}
      comparedWith={undefined}
      onChoose={() => {}}
    />,
  );
  expect(getByText("now").previousElementSibling?.textContent).toMatch(words);
});
