import { appliedSource, defaultNamespace } from "@mainstay/contract";
import { languages } from "@mainstay/scripting/language.ts";
import { Command, Option } from "commander";
import type { Config, Settings } from "#platform/config.ts";
import { forgetSecrets } from "#platform/secrets-in-environment.ts";
import { serverVersion } from "../version.ts";

const FILES = "files or folders (searched for .yaml, .yml and .json), or - for standard input";
const SOURCE = `where the documents are kept, as people read it there; "${appliedSource}" when absent`;

/** Their arguments are read without the features; so is the version. */
const light = [
  "-V",
  "--version",
  "version",
  "run",
  "eval",
  "apply",
  "diff",
  "get",
  "search",
  "snapshot",
  "delete",
  "login",
];

/**
 * The settings come with all of the features, a second of computing. They are read for the commands that take settings,
 * and where help is asked for; so are the kinds of documents, which only help names.
 */
async function readFeatures([first = "", ...others]: readonly string[]) {
  const isLight = [...light, "reset-second-factor", "rotate-key"].includes(first);
  if (isLight && !others.some((word) => word === "-h" || word === "--help")) return undefined;
  const [{ settings }, { documentFormats }] = await Promise.all([
    import("../settings.ts"),
    import("@mainstay/contract/document-formats.ts"),
  ]);
  return { settings, kindNames: documentFormats.map(({ plural }) => plural).join(", ") };
}

/**
 * The command line that these arguments need. Each command is a file of its own, read when it is run; the settings of
 * `serve` are all there are (`settings.ts`).
 */
export async function createProgram(args: readonly string[]): Promise<Command> {
  const { settings = {}, kindNames = "" } = (await readFeatures(args)) ?? {};
  const program = new Command("mainstay")
    .description("Operations and observability console with its own server.")
    .version(serverVersion, "-V, --version")
    .showHelpAfterError("(run with --help to see what there is)")
    .configureHelp({ helpWidth: 100 })
    .addHelpText(
      "after",
      `\nSettings of serve and migrate, as flags or from the environment:\n${settingsHelp(settings)}\n`,
    );

  withSettings(
    program.command("serve", { isDefault: true }).description("start the server"),
    settings,
  ).action(async (flags: Flags) => {
    const { serve } = await import("./serve.ts");
    await serve(await config(flags));
  });
  withSettings(
    program.command("migrate").description("bring the database up to this version and end"),
    pick(settings, ["databaseUrl", "migrationDatabaseUrl", "dataDir", "logLevel"]),
  ).action(async (flags: Flags) => {
    const { migrateDatabase } = await import("./migrate.ts");
    await migrateDatabase(await config(flags));
  });

  withSettings(
    program
      .command("forget-key")
      .description(
        "give up the stored secrets of a key that is gone for ever; says which, and changes nothing without --yes",
      )
      .argument("<key>", "its name, as a server that does not start says it")
      .option("--yes", "give them up: they are to be written again"),
    pick(settings, [
      "databaseUrl",
      "migrationDatabaseUrl",
      "dataDir",
      "logLevel",
      "encryptionKey",
      "encryptionKeysPrevious",
    ]),
  ).action(async (key: string, { yes, ...flags }: Flags) => {
    const { forgetLostKey } = await import("./forget-key.ts");
    await forgetLostKey(await config(flags), key, { yes: yes === true });
  });

  program
    .command("run")
    .description(
      "run the canaries, scrapers and topologies of a file once, without a server; exit code 1 when a check, a scrape or a lookup fails, 2 when the document is bad",
    )
    .argument("<file>", "YAML or JSON file, a folder of them, or - for standard input")
    .addOption(
      new Option("-o, --output <format>").choices(["table", "json", "junit"]).default("table"),
    )
    .option("--junit-file <file>", "also write a JUnit report to this file")
    .action(whenRun(async () => (await import("./run.ts")).run));

  program
    .command("eval")
    .description(
      'try a script: prints {"result": ...}, or its mistake with line and column and exit code 1',
    )
    .argument("[script]", "its text, or - for standard input")
    .addOption(new Option("--language <name>", "of the script").choices(languages))
    .option("--context <file>", "JSON object with its variables, or - for standard input")
    .option(
      "--batch <file>",
      'instead of a script: a case a line, {"language", "script", "context"}; prints an answer a line',
    )
    .option("--text", "print results as the text that the language makes of them")
    .action(whenRun(async () => (await import("./eval.ts")).evaluateScript));
  withServer(
    program
      .command("apply")
      .description(
        `create or update the documents of files on a server (${kindNames}): all of them, or none`,
      )
      .requiredOption("-f, --file <path...>", FILES)
      .option("--source <text>", SOURCE)
      .option(
        "--prune",
        "delete documents of the same source and kinds that no file holds any more",
      )
      .option("-l, --labels <selector>", "which documents --prune may delete, such as team=shop")
      .option("--dry-run", "print what would differ, and do nothing")
      .option("--yes", "prune also connections that checks and other connections use"),
  ).action(whenRun(async () => (await import("./apply.ts")).apply));
  withServer(
    program
      .command("diff")
      .description(
        "compare the documents of files with those of a server; exit code 1 when they differ, 2 when that cannot be told",
      )
      .requiredOption("-f, --file <path...>", FILES)
      .option("--source <text>", SOURCE)
      .option("--prune", "with what --prune of apply would delete")
      .option("-l, --labels <selector>", "which documents --prune may delete, such as team=shop"),
  ).action(whenRun(async () => (await import("./diff.ts")).diff));
  withServer(
    program
      .command("get")
      .description("list documents or checks of a server")
      .argument("<kind>", `${kindNames} or checks`)
      .argument("[name]", "only this one")
      .option("-n, --namespace <name>", "only in this namespace")
      .option("-l, --labels <selector>", "only with these labels, such as team=shop")
      .option("--source <text>", "only from this source")
      .addOption(
        new Option("-o, --output <format>").choices(["table", "json", "yaml"]).default("table"),
      ),
  ).action(whenRun(async () => (await import("./get.ts")).get));
  withServer(
    program
      .command("search")
      .description(
        "find items of the catalog, such as: mainstay search 'type=pod health!=healthy tag:cluster=prod'",
      )
      .argument("[search...]", "words and conditions, all of which must hold; docs/search.md")
      .option("--kind <name>", "what is searched: configs, checks, components, ...", "configs")
      .option("--limit <number>", "as many at most", "100")
      .addOption(
        new Option("-o, --output <format>").choices(["table", "json", "yaml"]).default("table"),
      ),
  ).action(whenRun(async () => (await import("./search.ts")).search));
  withServer(
    program
      .command("snapshot")
      .description(
        "fetch a zip of what is known of a component or an item of the catalog in a range of time: components, checks and their results, items, changes, insights, log lines",
      )
      .argument("<kind>", "topology or config")
      .argument("<id>", "of the component or the item")
      .option("-o, --output <file>", "where it is written, or - for standard output")
      .option("--start <time>", "15m, 2d, now-1h or an ISO time; 15m when absent")
      .option("--end <time>", "the same; now when absent")
      .option("--related", "with what is around it")
      .addOption(
        new Option("--log-format <format>", "how log lines are written; log when absent").choices([
          "log",
          "json",
        ]),
      ),
  ).action(whenRun(async () => (await import("./snapshot.ts")).snapshot));
  withServer(
    program
      .command("delete")
      .description("delete documents of a server")
      .argument("[kind]", `one of ${kindNames}`)
      .argument("[name]", "its name, or its id")
      .option("-n, --namespace <name>", `its namespace; "${defaultNamespace}" when absent`)
      .option("-f, --file <path...>", "delete what these files define")
      .option("--source <text>", "only from this source")
      .option("--yes", "also connections that checks and other connections use"),
  ).action(whenRun(async () => (await import("./delete.ts")).deleteDocuments));
  withServer(
    program
      .command("login")
      .description("sign in to a server and remember it for the other commands")
      .option("--email <address>", "who you are; not needed with --token")
      .option("--password <text>", "asked for when absent")
      .option("--code <text>", "of an authenticator app, or a backup code; asked for when needed"),
  ).action(whenRun(async () => (await import("./login.ts")).login));
  withServer(
    program
      .command("reset-second-factor")
      .description("take the second factors from a person who has lost them")
      .argument("<email>", "whose"),
  ).action(whenRun(async () => (await import("./reset-second-factor.ts")).resetSecondFactor));
  withServer(
    program
      .command("rotate-key")
      .description("encrypt stored secrets anew with the present key, while the server runs")
      .option("--new", "make a new key first, where the data directory holds it"),
  ).action(whenRun(async () => (await import("./rotate-key.ts")).rotateKeys));
  program
    .command("version")
    .description("print the version")
    .action(() => console.log(serverVersion));
  return program;
}

/** Reads a command when it is run. */
const whenRun =
  <Args extends unknown[]>(load: () => Promise<(...args: Args) => void | Promise<void>>) =>
  async (...args: Args): Promise<void> => {
    const command = await load();
    await command(...args);
  };

type Flags = Record<string, string | boolean | undefined>;

function pick(settings: Settings, names: readonly string[]): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => names.includes(name)));
}

function withSettings(command: Command, settings: Settings): Command {
  for (const row of Object.values(settings)) {
    const flag = row.value ? `${row.flag} <${row.value}>` : row.flag;
    command.option(flag, row.help);
  }
  return command;
}

function withServer(command: Command): Command {
  return command
    .option(
      "--server <url>",
      "address of the server (MAINSTAY_SERVER); the one running on this machine when absent",
    )
    .option("--token <text>", "access token, or that of a session (MAINSTAY_TOKEN)")
    .option(
      "--data-dir <directory>",
      "data directory of the server on this machine (MAINSTAY_DATA_DIR)",
    );
}

async function config(flags: Flags): Promise<Config> {
  const { readConfig, settings } = await import("../settings.ts");
  const given = Object.fromEntries(
    Object.keys(settings).map((key) => [
      key,
      flags[key] === true ? "true" : (flags[key] as string | undefined),
    ]),
  );
  const read = readConfig(given, process.env);
  forgetSecrets(settings);
  return read;
}

function settingsHelp(settings: Settings): string {
  return Object.values(settings)
    .map((row) => {
      const value = row.value ? ` <${row.value}>` : "";
      const fallback = row.default ? ` (default ${row.default})` : "";
      return `  ${`${row.flag}${value} `.padEnd(38)}${`${row.env} `.padEnd(26)}${row.help}${fallback}`;
    })
    .join("\n");
}
