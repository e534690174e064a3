import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, type RunnerTask, test } from "vitest";
import type { Browser } from "playwright-core";
import {
  browserMissing,
  launchBrowser,
  signedIn,
  type State,
  type Visit,
  visit,
} from "./browser.ts";
import type { Parts } from "./console-routes.ts";
import { fillServer } from "./fill-server.ts";
import { makePerson } from "./make-person.ts";
import { builtConsole, partShown, serveConsole } from "./gallery-server.ts";
import { printedByServers, type RunningServer, type StartOptions, startServer } from "./server.ts";
import { startTarget, type Target } from "./target.ts";

/**
 * What a journey is given. One worker runs many files, one after the other, and has one browser and one server with the
 * default set-up for all of them, started when the first journey asks for them. Journeys come in any order, so each
 * names its people, namespaces and flags itself and looks for nothing but those and what every server has. A journey
 * that needs another set-up, or changes what all others see, starts a server of its own and says why; it opens pages of
 * it with `openAt`.
 */

if (browserMissing) process.stderr.write(`SKIPPED ${browserMissing}\n`);

/** `describe`, where there is a browser. */
export const journeys = describe.skipIf(browserMissing);

export const journey = test
  // oxlint-disable-next-line no-empty-pattern -- that is how a fixture says that it needs no other
  .extend("browser", { scope: "worker" }, async ({}, { onCleanup }) => {
    const browser = await launchBrowser();
    onCleanup(() => browser.close());
    return browser;
  })
  /** The server with the default set-up. */
  // oxlint-disable-next-line no-empty-pattern -- as above
  .extend("server", { scope: "worker" }, async ({}, { onCleanup }) => {
    const server = await startServer();
    onCleanup(() => server.stop());
    return server;
  })
  /** The session of its administrator, whom no journey signs out of it. */
  .extend("admin", { scope: "worker" }, ({ browser, server }) => signedIn(browser, server))
  /** What that server has when it is in use, of which one check fails; gives what addresses of its pages need. */
  .extend("filled", { scope: "worker" }, async ({ browser, server, admin }, { onCleanup }) => {
    const target = await startTarget();
    onCleanup(() => target.close());
    return fillAs(browser, server, { admin, target });
  })
  /** Every component in every state, as it is in development. */
  // oxlint-disable-next-line no-empty-pattern -- as above
  .extend("gallery", { scope: "worker" }, async ({}, { onCleanup }) => {
    const built = builtConsole("development");
    const { address, close } = await serveConsole(built.folder);
    onCleanup(close);
    return { built, address };
  })
  /** Makes somebody on that server, who has a password. */
  .extend("makePerson", ({ browser, server, admin }) => async (email: string, role = "viewer") => {
    const { context: inviting } = await visit(browser, server.address, { state: admin });
    const { context } = await visit(browser, server.address);
    try {
      return await makePerson(inviting.request, context.request, { email, role });
    } finally {
      await Promise.all([inviting.close(), context.close()]);
    }
  })
  /** Something to watch, the journey's own. */
  // oxlint-disable-next-line no-empty-pattern -- as above
  .extend("target", async ({}, { onCleanup }) => {
    const target = await startTarget();
    onCleanup(() => target.close());
    return target;
  })
  /** Starts a server of the journey's own, which ends when its pages are closed. */
  // oxlint-disable-next-line no-empty-pattern -- as above
  .extend("startOwn", async ({}, { onCleanup }) => {
    const started: RunningServer[] = [];
    onCleanup(async () => {
      await Promise.all(started.map((server) => server.stop()));
    });
    return async (options: StartOptions) => {
      const server = await startServer(options);
      started.push(server);
      return server;
    };
  })
  /** Problems that the journey provokes on purpose. */
  .extend("provoked", (): RegExp[] => [])
  /** All that the journey opened; a problem in any of them is a failure. */
  .extend("visits", async ({ task, provoked }, { onCleanup }) => {
    const visits: Visit[] = [];
    onCleanup(async () => {
      // Nothing is left for a second time, which there is when what is expected below is not so.
      const opened = visits.splice(0);
      const problems = opened
        .flatMap((one) => one.problems)
        .filter((problem) => !provoked.some((pattern) => pattern.test(problem)));
      if (task.result?.state === "fail" || problems.length > 0) await keepTraces(task, opened);
      await Promise.all(opened.map(({ context }) => context.close()));
      expect(problems).toEqual([]);
    });
    return visits;
  })
  /** A page of a server in a fresh profile, with nothing loaded yet. */
  .extend(
    "openAt",
    ({ browser, visits }) =>
      async (address: string, options: VisitOptions = {}) => {
        const one = await visit(browser, address, options);
        visits.push(one);
        return one.page;
      },
  )
  /** The same of the server with the default set-up, for a stranger. */
  .extend(
    "open",
    ({ server, openAt }) =>
      (options: VisitOptions = {}) =>
        openAt(server.address, options),
  )
  /** The same for its administrator, signed in. */
  .extend(
    "openAsAdmin",
    ({ open, admin }) =>
      (options: VisitOptions = {}) =>
        open({ state: admin, ...options }),
  )
  /** And once that server is in use. */
  .extend(
    "openFilled",
    ({ filled: _filled, openAsAdmin }) =>
      (options: VisitOptions = {}) =>
        openAsAdmin(options),
  )
  /** A part of the gallery. */
  .extend("openPart", ({ gallery, openAt }) => async (part: string, options: VisitOptions = {}) => {
    const page = await openAt(gallery.address, options);
    await page.goto(`/gallery?part=${part}`);
    await partShown(page);
    return page;
  });

type VisitOptions = Parameters<typeof visit>[2];

/** Gives a server what one in use has, as its administrator; gives what addresses of its pages need. */
export async function fillAs(
  browser: Browser,
  server: RunningServer,
  { admin, target }: { admin: State; target: Target },
): Promise<Parts> {
  target.answer(500);
  const { context } = await visit(browser, server.address, { state: admin });
  const parts = await fillServer(context.request, target.address);
  await context.close();
  return parts;
}

const tracesOf = join(import.meta.dirname, "../.cache/failures");

/** Leaves of a failed journey what its pages showed and said, and what the servers of this worker printed last. */
async function keepTraces(task: RunnerTask, visits: readonly Visit[]): Promise<void> {
  const name = `${task.file.name.split("/").at(-1)} ${task.name}`.replaceAll(/[^\w.]+/g, "-");
  const folder = join(tracesOf, name.slice(0, 120));
  mkdirSync(folder, { recursive: true });
  for (const [at, { page, problems }] of visits.entries()) {
    writeFileSync(join(folder, `page-${at + 1}.txt`), [page.url(), ...problems, ""].join("\n"));
    // A page that the journey closed, or that hangs, has no picture.
    await page
      .screenshot({ path: join(folder, `page-${at + 1}.png`), timeout: 10_000 })
      .catch((error: Error) =>
        writeFileSync(join(folder, `page-${at + 1}.png.txt`), error.message),
      );
  }
  writeFileSync(join(folder, "servers.log"), printedByServers());
  process.stderr.write(`What "${task.name}" left: ${relative(process.cwd(), folder)}\n`);
}
