import {
  type ChangeSeverity,
  formatDuration,
  type GithubActionsScraper,
  type Health,
} from "@mainstay/contract";
import { ApiRefusal, below } from "#platform/outbound/http/ask-json.ts";
import { askPatiently, Patience } from "#platform/outbound/http/ask-patiently.ts";
import {
  asList,
  asObject,
  asPlain,
  asText,
  asWebAddress,
} from "#platform/outbound/http/read-json.ts";
import { readConnection } from "#platform/outbound/http/read-request.ts";
import { optional } from "../../scraping/extract-item.ts";
import type { Found, ScrapedChange, ScrapedItem, Untold } from "../../scraping/scraped.ts";
import { meantBy, pascal, pick, timeOf } from "../api/scraped-api.ts";
import { type ScrapeInput, scraperType } from "../scraper-type.ts";

const cloud = "https://api.github.com";
const workflowType = "GitHubAction::Workflow";
/** Rows of a page; GitHub shows a thousand of a search at most. */
const pageSize = 100;
const mostRuns = 1000;
const mostWorkflows = 2000;
const mostRepositories = 2000;
/** Runs that failed of which the jobs are asked, in one scrape. */
const mostJobs = 300;
/** Runs that are younger are changes. */
const runDays = 7;
const dayMs = 86_400_000;

type Row = Readonly<Record<string, unknown>>;
type Ask = (path: string, query?: [string, string][]) => Promise<unknown>;

interface GitHub {
  ask: Ask;
  /** All rows of a list, page by page; its first ones where there are more than `most`. */
  rows(
    path: string,
    options: { key?: string; query?: [string, string][]; most: number },
  ): Promise<{ rows: Row[]; total: number }>;
  isSignedIn: boolean;
  patience: Patience;
}

/** Who gives a page's address gives that of the site. */
const addressOf = (url: string | undefined) =>
  !url || /^https?:\/\/(www\.)?github\.com\/?$/i.test(url) ? cloud : url;

function openGitHub({ spec, signal, connector }: ScrapeInput<GithubActionsScraper>): GitHub {
  const connection = readConnection({ url: addressOf(spec.url) });
  const token = spec.personalAccessToken?.value;
  const patience = new Patience();
  const ask: Ask = async (path, query = []) => {
    const { json } = await askPatiently(
      {
        ...connection,
        url: below(connection.url, path, query),
        ...(token && { auth: { kind: "bearer", token } }),
        headers: {
          accept: "application/vnd.github+json",
          "x-github-api-version": "2022-11-28",
        },
      },
      // What is the same as before does not count against the limits.
      { signal, connector, what: "GitHub", patience, isKept: true },
    );
    return json;
  };
  return {
    ask,
    async rows(path, { key, query = [], most }) {
      const rows: Row[] = [];
      let total = 0;
      for (let page = 1; rows.length < most; page += 1) {
        const json = await ask(path, [
          ...query,
          ["per_page", String(pageSize)],
          ["page", String(page)],
        ]);
        const list = key === undefined ? json : asObject(json)[key];
        if (!Array.isArray(list)) throw new Error("What answered is no GitHub.");
        rows.push(...list.map(asObject));
        total = key === undefined ? rows.length : Number(asObject(json).total_count) || rows.length;
        if (list.length < pageSize) break;
      }
      return { rows: rows.slice(0, most), total };
    },
    isSignedIn: Boolean(token),
    patience,
  };
}

/** The repository that is named, or all of its owner that a pattern means. */
async function repositoriesOf(
  github: GitHub,
  { owner, repository }: GithubActionsScraper,
): Promise<{ names: string[]; isCut: boolean }> {
  if (!/[*!,]/.test(repository)) return { names: [repository], isCut: false };
  const isMeant = meantBy(repository.split(",").map((text) => text.trim()));
  const of = (kind: "orgs" | "users") =>
    github.rows(`/${kind}/${encodeURIComponent(owner)}/repos`, { most: mostRepositories + 1 });
  const { rows } = await of("orgs").catch((error: unknown) => {
    if (error instanceof ApiRefusal && error.code === 404) return of("users");
    throw error;
  });
  return {
    names: rows
      .slice(0, mostRepositories)
      .map(({ name }) => asPlain(name))
      .filter((name) => name !== "" && isMeant(name))
      .toSorted(),
    isCut: rows.length > mostRepositories,
  };
}

async function* scrape(input: ScrapeInput<GithubActionsScraper>): AsyncIterable<Found> {
  const { spec } = input;
  const github = openGitHub(input);
  const jobs = { left: mostJobs };
  const { names, isCut } = await repositoriesOf(github, spec);
  if (names.length === 0)
    yield { kind: "notice", message: `${spec.owner} has no repository ${spec.repository}.` };
  if (isCut)
    yield {
      kind: "failure",
      message: `${spec.owner} has more than ${mostRepositories} repositories; the first ones were read.`,
      ...untold(spec),
    };
  for (const name of names)
    try {
      yield* scrapeRepository(name, input, github, jobs);
    } catch (error) {
      // Who is alone, and whoever comes after a limit, has nothing to go on with.
      if (names.length === 1 || !(error instanceof ApiRefusal) || error.isBusy) throw error;
      yield {
        kind: "failure",
        message: `${spec.owner}/${name}: ${error.message}`,
        ...untold(spec, name),
      };
    }
  const waited = github.patience.notice("GitHub");
  if (waited !== undefined) yield { kind: "notice", message: waited };
  if (jobs.left < 0)
    yield {
      kind: "notice",
      message: `More than ${mostJobs} runs have failed; of the others it is not said which jobs.`,
    };
}

/** Workflows of the owner, or of one repository, of which not all may have been seen. */
const untold = ({ owner }: GithubActionsScraper, repository?: string): Required<Untold> => ({
  unseen: [
    {
      type: workflowType,
      tags: { org: owner },
      ...(repository !== undefined && { labels: { repository } }),
    },
  ],
  unjudged: [],
});

async function* scrapeRepository(
  repository: string,
  { spec, now }: ScrapeInput<GithubActionsScraper>,
  github: GitHub,
  jobs: { left: number },
): AsyncIterable<Found> {
  const { owner } = spec;
  const path = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(repository)}/actions`;
  const isMeant = meantBy(spec.workflows);
  const { rows, total } = await github.rows(`${path}/workflows`, {
    key: "workflows",
    most: mostWorkflows,
  });
  if (total > mostWorkflows)
    yield {
      kind: "failure",
      type: workflowType,
      message: `${owner}/${repository} has more than ${mostWorkflows} workflows; the first ones were read.`,
      ...untold(spec, repository),
    };
  for (const workflow of rows) {
    const name = asPlain(workflow.name);
    const file = asPlain(workflow.path).split("/").at(-1) ?? "";
    if (!isMeant(name, file) || workflow.state === "deleted") continue;
    const about = { workflow, name, repository, path };
    try {
      yield* scrapeWorkflow(about, spec, { now, github, jobs });
    } catch (error) {
      if (!(error instanceof ApiRefusal) || error.isBusy) throw error;
      // It stays as it was known: what it did meanwhile is not.
      yield {
        kind: "failure",
        type: workflowType,
        message: `The runs of ${owner}/${repository}, ${name} could not be read: ${error.message}`,
        ...untold(spec, repository),
      };
    }
  }
}

interface About {
  workflow: Row;
  name: string;
  repository: string;
  /** Of the repository's actions. */
  path: string;
}

async function* scrapeWorkflow(
  about: About,
  spec: GithubActionsScraper,
  { now, github, jobs }: { now: Date; github: GitHub; jobs: { left: number } },
): AsyncIterable<Found> {
  const runsPath = `${about.path}/workflows/${encodeURIComponent(asPlain(about.workflow.id))}/runs`;
  const filters = (["status", "actor", "branch"] as const).flatMap((key): [string, string][] =>
    spec[key] ? [[key, spec[key]]] : [],
  );
  // A whole day, so that the same is asked until the next one.
  const since = new Date(now.getTime() - runDays * dayMs).toISOString().slice(0, 10);
  const { rows: runs, total } = await github.rows(runsPath, {
    key: "workflow_runs",
    query: [...filters, ["created", `>=${since}`]],
    most: mostRuns,
  });
  const last =
    newestDone(runs) ??
    newestDone(
      (await github.rows(runsPath, { key: "workflow_runs", query: filters, most: 1 })).rows,
    );
  yield { kind: "item", item: itemOf(about, spec, last) };
  if (total > mostRuns)
    yield {
      kind: "notice",
      type: workflowType,
      message: `${about.name} of ${about.repository} ran ${total} times since ${since}; GitHub shows the newest ${mostRuns}.`,
    };
  for (const run of runs) {
    const isFailed = failures.has(asPlain(run.conclusion)) && github.isSignedIn;
    const failed = isFailed && (jobs.left -= 1) >= 0 ? await failedJobs(about, run, github) : [];
    yield { kind: "change", change: changeOf(about, spec, run, failed) };
  }
}

const isDone = (run: Row) => run.status === "completed";
const newestDone = (runs: readonly Row[]): Row | undefined =>
  runs
    .filter(isDone)
    .reduce<Row | undefined>(
      (best, run) => (best && Number(best.run_number) >= Number(run.run_number) ? best : run),
      undefined,
    );

const failures: ReadonlySet<string> = new Set(["failure", "startup_failure", "timed_out"]);
const healths: Readonly<Record<string, Health>> = {
  success: "healthy",
  failure: "unhealthy",
  startup_failure: "unhealthy",
  timed_out: "warning",
  action_required: "warning",
};
const severities: Readonly<Record<string, ChangeSeverity>> = {
  failure: "high",
  startup_failure: "high",
  timed_out: "medium",
  action_required: "medium",
  cancelled: "low",
};

const idOf = ({ workflow, name }: About) => `${asPlain(workflow.id)}/${name}`;

function itemOf(about: About, { owner }: GithubActionsScraper, last: Row | undefined): ScrapedItem {
  const { workflow, name, repository } = about;
  const state = asPlain(workflow.state);
  const isOff = state !== "" && state !== "active";
  const conclusion = asPlain(last?.conclusion);
  const status = isOff ? pascal(state) : pascal(conclusion);
  const page = asWebAddress(workflow.html_url);
  return {
    externalId: idOf(about),
    aliases: [`${name}/${asPlain(workflow.id)}`],
    type: workflowType,
    configClass: "Deployment",
    name: `${repository}/${name}`,
    config: pick(workflow, [
      "id",
      "node_id",
      "name",
      "path",
      "state",
      "created_at",
      "updated_at",
      "url",
      "html_url",
      "badge_url",
    ]),
    ...optional("status", status || undefined),
    health: isOff ? "unknown" : (healths[conclusion] ?? "unknown"),
    ready: last !== undefined,
    ...optional(
      "description",
      last && failures.has(conclusion) && !isOff ? titleOf(last) : undefined,
    ),
    labels: { repository },
    tags: { org: owner },
    properties: page
      ? [{ name: "Workflow", links: [{ type: "url", url: page, text: "GitHub" }] }]
      : [],
    ...optional("createdAt", timeOf(workflow.created_at)),
    parents: [],
    relations: [],
  };
}

const titleOf = (run: Row) =>
  asText(run.display_title) ?? asText(run.name) ?? `run ${asPlain(run.run_number)}`;

function changeOf(
  about: About,
  { owner }: GithubActionsScraper,
  run: Row,
  failed: readonly string[],
): ScrapedChange {
  const conclusion = asPlain(run.conclusion);
  const began = timeOf(run.run_started_at) ?? timeOf(run.created_at);
  const ended = isDone(run) ? timeOf(run.updated_at) : undefined;
  const took =
    began && ended && +ended >= +began
      ? `took ${formatDuration(Math.round((+ended - +began) / 1000) * 1000)}`
      : undefined;
  const branch = asText(run.head_branch);
  const head = branch === undefined ? titleOf(run) : `${titleOf(run)} (${branch})`;
  return {
    item: { externalId: idOf(about), type: workflowType },
    externalChangeId: `${about.name}/${asPlain(about.workflow.id)}/${asPlain(run.id)}`,
    changeType: `GitHubActionRun${pascal(conclusion || asPlain(run.status))}`,
    severity: severities[conclusion] ?? "info",
    source: `GitHub/${owner}/${about.repository}`,
    summary: [head, took, failed.length > 0 ? `failed: ${failed.join(", ")}` : undefined]
      .filter((text) => text !== undefined)
      .join("; "),
    // What stays the same while it runs: a run that ends is no other run.
    details: {
      ...pick(run, [
        "id",
        "run_number",
        "run_attempt",
        "event",
        "head_branch",
        "head_sha",
        "display_title",
        "html_url",
      ]),
      ...optional("commit", asText(asObject(run.head_commit).message)),
      ...optional("author", asText(asObject(asObject(run.head_commit).author).name)),
      repository: `${owner}/${about.repository}`,
    },
    ...optional("createdAt", began),
    ...optional(
      "createdBy",
      asText(asObject(run.triggering_actor).login) ?? asText(asObject(run.actor).login),
    ),
  };
}

const mostNamed = 10;

/** Which jobs of a run failed, and at which step; nothing of a run that is gone. */
async function failedJobs({ path }: About, run: Row, github: GitHub): Promise<string[]> {
  const { rows } = await github
    .rows(`${path}/runs/${encodeURIComponent(asPlain(run.id))}/jobs`, { key: "jobs", most: 500 })
    .catch((error: unknown) => {
      if (error instanceof ApiRefusal && error.code === 404) return { rows: [] };
      throw error;
    });
  return rows
    .filter(({ conclusion }) => failures.has(asPlain(conclusion)))
    .slice(0, mostNamed)
    .map(({ name, steps }) => {
      const step = asList(steps)
        .map(asObject)
        .find((one) => failures.has(asPlain(one.conclusion)));
      return step ? `${asPlain(name)} / ${asPlain(step.name)}` : asPlain(name);
    });
}

/** Workflows of GitHub Actions, with their runs as changes. */
export const githubActionsScraper = scraperType<GithubActionsScraper>({
  type: "githubActions",
  scrape,
  untold: { unseen: [{ type: workflowType }], unjudged: [] },
});
