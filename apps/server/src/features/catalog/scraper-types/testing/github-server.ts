import type { IncomingMessage, ServerResponse } from "node:http";
import { createHash } from "node:crypto";
import { serve } from "#platform/outbound/testing/serve.ts";

/** A stand-in of GitHub's REST API (2022-11-28) for actions, written from its public documentation. */

export interface GivenRun {
  id: number;
  run_number: number;
  status?: string;
  conclusion?: string | null;
  created_at: string;
  updated_at?: string;
  run_attempt?: number;
  head_branch?: string;
  display_title?: string;
  login?: string;
  jobs?: object[];
}
export interface GivenWorkflow {
  id: number;
  name: string;
  state?: string;
  runs: GivenRun[];
}

export interface GitHubStandIn {
  url: string;
  /** By the name of the repository. */
  repositories: Record<string, GivenWorkflow[]>;
  asked: { path: string; query: URLSearchParams; isSame: boolean }[];
  /** Answers in the place of the API; true when it has. */
  instead?: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
}

export const githubToken = "github_pat_secret";

/** @param repositories of the owner `example`, who is an organization */
export async function startGitHub(
  repositories: Record<string, GivenWorkflow[]>,
): Promise<GitHubStandIn> {
  const github: GitHubStandIn = { url: "", repositories, asked: [] };
  const { url } = await serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://a");
    const end = (code: number, json: unknown) => {
      const text = JSON.stringify(json);
      const etag = `W/"${createHash("sha256").update(text).digest("hex")}"`;
      const isSame = request.headers["if-none-match"] === etag;
      github.asked.push({ path: pathname, query: searchParams, isSame });
      response.setHeader("content-type", "application/json; charset=utf-8");
      if (code === 200) response.setHeader("etag", etag);
      if (isSame) return response.writeHead(304).end();
      return response.writeHead(code).end(text);
    };
    if (github.instead?.(request, response)) return;
    const { authorization, accept } = request.headers;
    if (authorization !== undefined && authorization !== `Bearer ${githubToken}`)
      return end(401, { message: "Bad credentials", status: "401" });
    if (accept !== "application/vnd.github+json") return end(415, { message: "Unsupported" });
    const size = Number(searchParams.get("per_page") ?? 30);
    const from = (Number(searchParams.get("page") ?? 1) - 1) * size;
    const page = (key: string, all: readonly object[]) =>
      end(200, { total_count: all.length, [key]: all.slice(from, from + size) });
    if (pathname === "/api/v3/orgs/example/repos")
      return end(
        200,
        Object.keys(github.repositories)
          .slice(from, from + size)
          .map((name) => ({ name, full_name: `example/${name}` })),
      );
    const [, name = "", rest = ""] =
      /^\/api\/v3\/repos\/example\/([^/]+)\/actions\/(.*)$/.exec(pathname) ?? [];
    const workflows = github.repositories[name];
    if (!workflows) return end(404, { message: "Not Found", status: "404" });
    if (rest === "workflows")
      return page(
        "workflows",
        workflows.map((one) => workflowOf(one, name)),
      );
    const [, id, runs, jobs] = /^(?:workflows\/(\d+)\/(runs)|runs\/(\d+)\/jobs)$/.exec(rest) ?? [];
    if (runs) {
      const workflow = workflows.find((one) => one.id === Number(id));
      if (!workflow) return end(404, { message: "Not Found" });
      const since = searchParams.get("created")?.replace(">=", "") ?? "";
      const wanted = workflow.runs
        .filter(({ created_at }) => created_at >= since)
        .filter(
          ({ status = "completed", conclusion }) =>
            [null, status, conclusion].includes(searchParams.get("status")) && true,
        )
        .filter(({ head_branch = "main" }) =>
          [null, head_branch].includes(searchParams.get("branch")),
        )
        .toSorted((one, other) => other.run_number - one.run_number);
      return page(
        "workflow_runs",
        wanted.map((run) => runOf(run)),
      );
    }
    if (jobs) {
      const run = workflows.flatMap((one) => one.runs).find((one) => one.id === Number(jobs));
      return run ? page("jobs", run.jobs ?? []) : end(404, { message: "Not Found" });
    }
    return end(404, { message: "Not Found" });
  });
  // As a server of one's own has it.
  github.url = `${url}/api/v3`;
  return github;
}

const workflowOf = ({ id, name, state = "active" }: GivenWorkflow, repository: string) => ({
  id,
  node_id: `W_${id}`,
  name,
  path: `.github/workflows/${name}.yml`,
  state,
  created_at: "2025-01-01T00:00:00.000Z",
  updated_at: "2025-01-02T00:00:00.000Z",
  html_url: `https://github.com/example/${repository}/blob/main/.github/workflows/${name}.yml`,
  badge_url: `https://github.com/example/${repository}/workflows/${name}/badge.svg`,
});

const runOf = ({
  id,
  run_number,
  status = "completed",
  conclusion = status === "completed" ? "success" : null,
  created_at,
  updated_at = created_at,
  run_attempt = 1,
  head_branch = "main",
  display_title = `Commit ${run_number}`,
  login = "ann",
}: GivenRun) => ({
  id,
  run_number,
  run_attempt,
  status,
  conclusion,
  event: "push",
  created_at,
  run_started_at: created_at,
  updated_at,
  head_branch,
  head_sha: String(id).padStart(40, "0"),
  display_title,
  html_url: `https://github.com/example/runs/${id}`,
  actor: { login: "bot" },
  triggering_actor: { login },
  head_commit: { message: display_title, author: { name: "Ann", email: "ann@example.org" } },
});
