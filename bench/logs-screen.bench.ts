// The lines of a store of many on the screen: how smoothly they are scrolled through, page after page, what the page
// holds of them, and how long a line takes from being sent to its row.
import { cpus, loadavg } from "node:os";
import { percentile } from "./http-target.ts";
import { visitConsole } from "./console-visit.ts";

const lines = Number(process.argv[2] ?? 1_000_000);
const scrolledMs = Number(process.argv[3] ?? 40_000);
const sent = 200;
const load = () => `load ${loadavg()[0]!.toFixed(2)} on ${cpus().length} cores`;

await visitConsole(
  async (db) => {
    const begun = performance.now();
    await db.raw(`
      insert into log_lines (time, level, message, labels)
      select now() - (${lines} - n) * (interval '50 minutes' / ${lines}),
             case when n % 200 = 0 then 4 when n % 50 = 0 then 3 else 2 end,
             'GET /orders/' || n || ' in ' || (n % 900) || ' ms by worker ' || md5((n % 50000)::text),
             jsonb_build_object('app', 'app-' || n % 40, 'pod', 'pod-' || n % 1000)
        from generate_series(1, ${lines}) n`);
    console.log(
      `${lines} lines in ${((performance.now() - begun) / 1000).toFixed(0)} s; ${load()}`,
    );
  },
  async ({ context, page, takeSeen }) => {
    const debug = await context.newCDPSession(page);
    const heap = async () => {
      await debug.send("HeapProfiler.collectGarbage");
      const { usedSize } = await debug.send("Runtime.getHeapUsage");
      return `${(usedSize / 1_048_576).toFixed(0)} MiB`;
    };
    const tell = async (what: string) => {
      const { frames, tasks } = await takeSeen();
      const ms = (value: number) => `${value.toFixed(0)} ms`;
      console.log(
        `${what}: ${frames.length} frames, p50 ${ms(percentile(frames, 50))}, p95 ${ms(percentile(frames, 95))}; ` +
          `${tasks.length} long tasks, longest ${ms(Math.max(0, ...tasks))}, over 100 ms ${tasks.filter((task) => task > 100).length}; ${load()}`,
      );
    };
    const grid = page.getByRole("treegrid", { name: "Log lines" });
    const held = async () => Number(await grid.getAttribute("aria-rowcount")) - 1;
    await page.goto("/logs");
    await grid.getByRole("row").nth(1).waitFor();
    await tell("opened");
    console.log(`heap ${await heap()}`);

    // As fast as lines come: to the end of those that are here, again and again, a screen at a time in between.
    const scroll = (direction: 1 | -1) =>
      grid.evaluate(
        async (table, { direction: way, forMs }) => {
          const box = table.parentElement!;
          const until = performance.now() + forMs;
          let most = 0;
          let drawn = 0;
          const seen = new Set<string>();
          while (performance.now() < until) {
            box.scrollTop += way * box.clientHeight;
            await new Promise((resolve) => requestAnimationFrame(resolve));
            for (const row of table.querySelectorAll<HTMLElement>("[data-row-id]"))
              seen.add(row.dataset["rowId"]!);
            drawn = Math.max(drawn, table.querySelectorAll("tr").length);
            most = Math.max(most, Number(table.getAttribute("aria-rowcount")) - 1);
          }
          return { seen: seen.size, most, drawn };
        },
        { direction, forMs: scrolledMs },
      );
    for (const [what, direction] of [
      ["down", 1],
      ["up", -1],
    ] as const) {
      await takeSeen();
      const { seen, most, drawn } = await scroll(direction);
      await tell(
        `scrolled ${what} for ${scrolledMs / 1000} s over ${seen} lines (at most ${most} held, ${drawn} rows drawn)`,
      );
      console.log(`heap ${await heap()}, ${await held()} lines held`);
    }

    await page.goto("/logs?live=true&query=app%3Dfollowed");
    await page.getByText("Live", { exact: true }).nth(1).waitFor();
    await takeSeen();
    const took: number[] = [];
    for (let number = 0; number < sent; number++) {
      const message = `followed ${number}.`;
      const drawn = page.evaluate(
        (text) =>
          new Promise<number>((resolve) => {
            const look = () =>
              document.body.textContent.includes(text)
                ? resolve(Date.now())
                : requestAnimationFrame(look);
            look();
          }),
        message,
      );
      const at = Date.now();
      const [reply, seenAt] = await Promise.all([
        page.request.post("/api/logs/ingest", { data: [{ message, labels: { app: "followed" } }] }),
        drawn,
      ]);
      if (!reply.ok()) throw new Error(await reply.text());
      took.push(seenAt - at);
    }
    console.log(
      `from sent to its row, ${sent} lines: p50 ${percentile(took, 50)} ms, p95 ${percentile(took, 95)} ms; ${load()}`,
    );
    await tell("followed");
  },
);
