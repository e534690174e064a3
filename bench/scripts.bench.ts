// Scripts a second in each language beside its engine bare (the same text, compiled once, in this thread, with nothing
// around it), and what a canary with 100 scripted checks costs beside the same checks without scripts.
import { mkdtempSync, rmSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { celEnv, parse, plan } from "@bufbuild/cel";
import variant from "@jitl/quickjs-wasmfile-release-sync";
import { createEvaluator, type Context, type Evaluation, type Language } from "@mainstay/scripting";
import { gotemplate } from "@mainstay/scripting/gotemplate/engine.ts";
import { createTestDatabase, startTestCluster } from "@mainstay/testkit";
import { compile as compilePath } from "json-p3";
import { newQuickJSWASMModuleFromVariant, type QuickJSSyncVariant } from "quickjs-emscripten-core";
import { createApp } from "../apps/server/src/app.ts";
import { openDatabase } from "../apps/server/src/platform/db/database.ts";
import { createLog } from "../apps/server/src/platform/log.ts";
import { readConfig } from "../apps/server/src/settings.ts";
import { applyDocuments, startTarget } from "./http-target.ts";
import { pausesText, watchPauses } from "./pauses.ts";

const seconds = 3;
/** Scripts that wait for the thread at a time, as of the checks of a busy second. */
const atOnce = 100;
const context = {
  code: 200,
  elapsed: 12,
  json: { items: Array.from({ length: 20 }, (_, n) => ({ name: `item ${n}`, n, up: n % 3 > 0 })) },
  check: { name: "front", labels: { app: "shop" } },
} satisfies Context;

const quickjs = await newQuickJSWASMModuleFromVariant(variant as unknown as QuickJSSyncVariant);
const javascript = "json.items.filter(function (x) { return x.up }).length > 3 && code == 200";
const cel = "json.items.filter(x, x.up).size() > 3 && code == 200";
const template =
  "{{ .check.name }}: {{ range .json.items }}{{ if .up }}{{ .name }} {{ end }}{{ end }}";
const path = "$.json.items[?@.n > 3].name";

const planned = plan(celEnv({ variables: { json: "dyn", code: "dyn" } as never }), parse(cel)) as (
  bindings: object,
) => unknown;
const path3 = compilePath(path);
const rendered = gotemplate.compile(template);

/** Of each language: a script, and the same by the engine alone. */
const languages: Partial<Record<Language, { script: string; bare(): unknown; what: string }>> = {
  cel: { script: cel, bare: () => planned(context), what: "@bufbuild/cel" },
  gotemplate: {
    script: template,
    bare: () => rendered.run(context),
    what: "our interpreter, there is no library",
  },
  javascript: {
    script: javascript,
    bare() {
      const realm = quickjs.newContext();
      realm
        .unwrapResult(
          realm.evalCode(
            `Object.assign(globalThis, ${JSON.stringify(context)}); JSON.stringify(${javascript})`,
          ),
        )
        .dispose();
      realm.dispose();
    },
    what: "QuickJS, a realm a run",
  },
  jsonpath: { script: path, bare: () => path3.query(context), what: "json-p3" },
};

const evaluator = createEvaluator();
console.log(
  `a script over a context of ${JSON.stringify(context).length} characters, ${atOnce} at a time`,
);
for (const [language, { script, bare, what }] of Object.entries(languages)) {
  const alone = perSecond(bare);
  const ours = await through(language as Language, script);
  const again = perSecond(bare);
  const baseline = (alone + again) / 2;
  console.log(
    `${language.padEnd(11)} ${Math.round(ours.rate)}/s; bare ${Math.round(baseline)}/s (${what}); ` +
      `ratio ${(ours.rate / baseline).toFixed(2)}; this thread's longest turn ${ours.longestMs.toFixed(0)} ms`,
  );
}
const asks = { "catalog.query_one": () => Promise.resolve({ name: "web" }) };
const asking = await through("cel", "catalog.query_one('name=web').name == 'web'", asks);
console.log(`cel that asks once, and is answered at once: ${Math.round(asking.rate)}/s`);

/** What does harm, one after the other: what this thread waits for it, and another script behind it. */
const harmful: Readonly<Record<string, { language: Language; script: string }>> = {
  "a loop": { language: "javascript", script: "for (;;);" },
  memory: { language: "javascript", script: "var a = []; for (;;) a.push(new Array(1e5).fill(0))" },
  recursion: { language: "javascript", script: "function f() { return f() + 1 } f()" },
  "10 MB of output": { language: "javascript", script: "'x'.repeat(10 * 1024 * 1024)" },
  prototypes: {
    language: "javascript",
    script: "check.constructor.constructor('return process')().exit()",
  },
  "a template without end": {
    language: "gotemplate",
    script: '{{ define "a" }}{{ template "a" . }}{{ end }}{{ template "a" . }}',
  },
};
for (const [what, { language, script }] of Object.entries(harmful)) {
  const pauses = watchPauses();
  const began = performance.now();
  const harm = evaluator.evaluate({ language, script, context }).then(
    () => "it was done",
    (error: Error) => error.message,
  );
  await Promise.all([harm, evaluator.evaluate({ language: "cel", script: cel, context })]);
  console.log(
    `${what.padEnd(24)} after ${(performance.now() - began).toFixed(0)} ms: ${(await harm).slice(0, 60)}; ${pausesText(pauses())}`,
  );
}
await evaluator.close();

const plain = await costOf({});
const scripted = await costOf({
  test: { expr: "code == 200 && elapsed < duration('30s')" },
  display: { template: "{{ .code }} of {{ .check.name }}" },
});
for (const [what, { cpuMs, longestMs, runs }] of Object.entries({ plain, scripted }))
  console.log(
    `canary of 100 ${what} http checks: ${cpuMs.toFixed(0)} ms of CPU a run (server and its threads), ` +
      `longest turn ${longestMs.toFixed(0)} ms, ${runs} runs`,
  );

/** Through the thread, as checks use it. */
async function through(language: Language, script: string, asks?: Evaluation["asks"]) {
  const evaluate = () => evaluator.evaluate({ language, script, context, ...(asks && { asks }) });
  await Promise.all(Array.from({ length: atOnce }, evaluate));
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  const end = performance.now() + seconds * 1000;
  const began = performance.now();
  let done = 0;
  while (performance.now() < end) {
    await Promise.all(Array.from({ length: atOnce }, evaluate));
    done += atOnce;
  }
  delays.disable();
  return { rate: done / ((performance.now() - began) / 1000), longestMs: delays.max / 1e6 };
}

function perSecond(work: () => unknown): number {
  for (let n = 0; n < 100; n += 1) work();
  const began = performance.now();
  let done = 0;
  while (performance.now() - began < (seconds * 1000) / 2) {
    for (let n = 0; n < 20; n += 1) work();
    done += 20;
  }
  return done / ((performance.now() - began) / 1000);
}

/** One canary with a hundred checks, each second. */
async function costOf(scripts: object) {
  const target = await startTarget({ remember: false });
  const cluster = await startTestCluster();
  const database = await createTestDatabase(cluster);
  const consoleDirectory = mkdtempSync("/tmp/mainstay-bench-");
  const log = createLog("error");
  const open = (connection: typeof database.owner) =>
    openDatabase({ connection, applicationName: "bench", onError: (error) => log.error(error) });
  const [db, owner] = [open(database.application), open(database.owner)];
  const config = readConfig({ port: "0", selfChecks: "false", logLevel: "error" }, {});
  const app = await createApp({ config, db, owner, log, consoleDirectory });
  await app.listen();
  const session = await app.createLocalSession();
  const http = Array.from({ length: 100 }, (_, n) => ({
    name: `check-${n}`,
    url: target.address,
    ...scripts,
  }));
  const document = {
    apiVersion: "canaries.flanksource.com/v1",
    kind: "Canary",
    metadata: { name: "hundred" },
    spec: { schedule: "@every 1s", http },
  };
  await applyDocuments(app.address, session.token, JSON.stringify(document));
  while (target.total() < 500) await new Promise((resolve) => setTimeout(resolve, 100));
  const before = target.total();
  const cpu = process.cpuUsage();
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  delays.disable();
  const { user, system } = process.cpuUsage(cpu);
  const runs = (target.total() - before) / 100;
  await session.revoke();
  await app.stop();
  await Promise.all([db.close(), owner.close()]);
  await database.drop();
  await cluster.stop();
  await target.close();
  rmSync(consoleDirectory, { recursive: true, force: true });
  return { cpuMs: (user + system) / 1000 / runs, longestMs: delays.max / 1e6, runs };
}
