import { useEffect, useState } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import type { LineRange } from "@mainstay/ui/lines/line-range.ts";
import { LogView } from "@mainstay/ui/log-view/LogView.tsx";
import { lineLink, linkedLines } from "./line-link.ts";
import { Show } from "./Show.tsx";

const esc = "\u001b";
const levels = [
  `${esc}[32mINFO${esc}[0m `,
  `${esc}[33mWARN${esc}[0m `,
  `${esc}[1;31mERROR${esc}[0m`,
  `${esc}[36mDEBUG${esc}[0m`,
];

const lineAt = (index: number): string =>
  `${new Date(Date.UTC(2026, 8, 1) + index * 250).toISOString()} ${levels[(index * 13) % 17 > 13 ? (index % 2) + 1 : index % 9 === 0 ? 3 : 0] ?? ""} ${esc}[35mshop${esc}[0m request ${index} took ${(index * 7919) % 950} ms ${esc}[2mtrace=${(index * 2_654_435_761).toString(16)}${esc}[0m`;

const colours = [
  Array.from({ length: 8 }, (_, index) => `${esc}[${30 + index}mink ${index}${esc}[0m`).join(" "),
  Array.from({ length: 8 }, (_, index) => `${esc}[${40 + index}mground ${index}${esc}[0m`).join(
    " ",
  ),
  Array.from(
    { length: 16 },
    (_, index) => `${esc}[38;5;${17 + index * 13}m${17 + index * 13}`,
  ).join(" "),
  `${esc}[1mbold${esc}[0m ${esc}[2mdim${esc}[0m ${esc}[3mitalic${esc}[0m ${esc}[4munderlined${esc}[0m ${esc}[7minverse${esc}[0m ${esc}[9mstruck${esc}[0m`,
  "downloading 10%\rdownloading 60%\rdownloaded",
  `a line that goes on: ${"and on ".repeat(80)}`,
  "",
  "<script>alert(1)</script> & other text that is only text",
];

function Live() {
  const [lines, setLines] = useState<readonly string[]>(() =>
    Array.from({ length: 200 }, (_, index) => lineAt(index)),
  );
  const [isRunning, setIsRunning] = useState(false);
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(
      () =>
        setLines((known) => [
          ...known,
          ...Array.from({ length: 5 }, (_, index) => lineAt(known.length + index)),
        ]),
      200,
    );
    return () => clearInterval(timer);
  }, [isRunning]);
  return (
    <>
      <div>
        <Button aria-pressed={isRunning} onClick={() => setIsRunning(!isRunning)}>
          {isRunning ? "Stop" : "Start"}
        </Button>
      </div>
      <div className="flex h-72 flex-col">
        <LogView label="Live log" lines={lines} isLive fileName="live.log" />
      </div>
    </>
  );
}

function Huge() {
  const [lines, setLines] = useState<readonly string[]>([]);
  const [selection, setSelection] = useState<LineRange | null>(linkedLines);
  return (
    <>
      <div>
        <Button
          onClick={() => setLines(Array.from({ length: 1_000_000 }, (_, index) => lineAt(index)))}
        >
          Make a million lines
        </Button>
      </div>
      <div className="flex h-96 flex-col">
        <LogView
          label="A million lines"
          lines={lines}
          selection={selection}
          onSelect={setSelection}
          linkTo={lineLink}
        />
      </div>
    </>
  );
}

export function Logs() {
  return (
    <>
      <Show title="Colours">
        <div className="flex h-48 flex-col">
          <LogView label="Colours" lines={colours} />
        </div>
      </Show>
      <Show title="A million lines">
        <Huge />
      </Show>
      <Show title="Live">
        <Live />
      </Show>
      <Show title="Empty">
        <div className="flex h-32 flex-col">
          <LogView label="Waiting" lines={[]} isLive />
        </div>
      </Show>
    </>
  );
}
