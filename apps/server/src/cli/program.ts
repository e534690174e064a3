import { appliedSource, defaultNamespace } from "@mainstay/contract";
import { Command, Option } from "commander";
import type { Config } from "#platform/config.ts";
import { forgetSecrets } from "#platform/secrets-in-environment.ts";
import { apply } from "./apply.ts";
import { deleteDocuments } from "./delete.ts";
import { diff } from "./diff.ts";
import { documentKinds } from "./document-kinds.ts";
import { get } from "./get.ts";
import { login } from "./login.ts";
import { migrateDatabase } from "./migrate.ts";
import { resetSecondFactor } from "./reset-second-factor.ts";
import { run } from "./run.ts";
import { serve } from "./serve.ts";
import { readConfig, settings } from "../settings.ts";
import { serverVersion } from "../version.ts";

const FILES = "files or folders (searched for .yaml, .yml and .json), or - for standard input";
const SOURCE = `where the documents are kept, as people read it there; "${appliedSource}" when absent`;

/** The command line. Each command is a file of its own; the settings of `serve` are all there are (`settings.ts`). */
export function createProgram(): Command {
  const program = new Command("mainstay")
    .description("Operations and observability console with its own server.")
    .version(serverVersion, "-V, --version")
    .showHelpAfterError("(run with --help to see what there is)")
    .configureHelp({ helpWidth: 100 })
    .addHelpText(
      "after",
      `\nSettings of serve and migrate, as flags or from the environment:\n${settingsHelp()}\n`,
    );

  withSettings(
    program.command("serve", { isDefault: true }).description("start the server"),
    Object.keys(settings),
  ).action((flags: Flags) => serve(config(flags)));
  withSettings(
    program.command("migrate").description("bring the database up to this version and end"),
    ["databaseUrl", "migrationDatabaseUrl", "dataDir", "logLevel"],
  ).action((flags: Flags) => migrateDatabase(config(flags)));

  program
    .command("run")
    .description(
      "run the canaries of a file once, without a server; exit code 1 when a check fails, 2 when the document is bad",
    )
    .argument("<file>", "YAML or JSON file, a folder of them, or - for standard input")
    .addOption(
      new Option("-o, --output <format>").choices(["table", "json", "junit"]).default("table"),
    )
    .option("--junit-file <file>", "also write a JUnit report to this file")
    .action((file: string, options: { output: "table" | "json" | "junit"; junitFile?: string }) =>
      run(file, options),
    );

  const kindNames = documentKinds.map(({ format }) => format.plural).join(", ");
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
      .option("--dry-run", "say what would be done, and do nothing"),
  ).action(apply);
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
  ).action(diff);
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
  ).action(get);
  withServer(
    program
      .command("delete")
      .description("delete documents of a server")
      .argument("[kind]", `one of ${kindNames}`)
      .argument("[name]", "its name")
      .option("-n, --namespace <name>", "its namespace", defaultNamespace)
      .option("-f, --file <path...>", "delete what these files define")
      .option("--source <text>", "only from this source"),
  ).action(deleteDocuments);
  withServer(
    program
      .command("login")
      .description("sign in to a server and remember it for the other commands")
      .option("--email <address>", "who you are; not needed with --token")
      .option("--password <text>", "asked for when absent")
      .option("--code <text>", "of an authenticator app, or a backup code; asked for when needed"),
  ).action(login);
  withServer(
    program
      .command("reset-second-factor")
      .description("take the second factors from a person who has lost them")
      .argument("<email>", "whose"),
  ).action(resetSecondFactor);
  program
    .command("version")
    .description("print the version")
    .action(() => console.log(serverVersion));
  return program;
}

type Flags = Record<string, string | boolean | undefined>;

function withSettings(command: Command, keys: string[]): Command {
  for (const [key, row] of Object.entries(settings)) {
    if (!keys.includes(key)) continue;
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

function config(flags: Flags): Config {
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

function settingsHelp(): string {
  return Object.values(settings)
    .map((row) => {
      const value = row.value ? ` <${row.value}>` : "";
      const fallback = row.default ? ` (default ${row.default})` : "";
      return `  ${`${row.flag}${value}`.padEnd(38)}${row.env.padEnd(26)}${row.help}${fallback}`;
    })
    .join("\n");
}
