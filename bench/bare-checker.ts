// What the machine allows: `node bare-checker.ts <address> <rate>` asks paths 0 to rate - 1 once a second each, spread
// over it, on a connection of its own each time, and keeps nothing.
import { get } from "node:http";

const [address, rate] = [process.argv[2]!, Number(process.argv[3])];
const intervalMs = 1_000;
const start = Date.now() + intervalMs;

function ask(i: number, round: number): void {
  const due = start + round * intervalMs + (i * intervalMs) / rate;
  setTimeout(() => {
    ask(i, round + 1);
    get(`${address}/${i}`, { agent: false }, (response) => response.resume()).on(
      "error",
      // The target has ended; so does this program.
      () => undefined,
    );
  }, due - Date.now());
}

for (let i = 0; i < rate; i += 1) ask(i, 0);
