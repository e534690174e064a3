import { asObject } from "#platform/outbound/http/read-json.ts";
import { WrongSpec } from "../attempt-http.ts";
import type { Row } from "./evaluate-query.ts";
import type { Cell } from "./parse-query.ts";

/** A table of the query language: where its rows come from in the REST API, and what its columns are there. */
export interface Table {
  /** Path below the API, with what else is asked for. */
  path(args: readonly string[]): string;
  query?: Readonly<Record<string, string>>;
  accept?: string;
  /** By column: the way to the value. */
  columns: Readonly<Record<string, string>>;
  /** What is worked out from other values. */
  derived?: (json: Readonly<Record<string, unknown>>) => Readonly<Record<string, Cell>>;
  /** Rows of others that the API mixes in. */
  isOther?: (json: Readonly<Record<string, unknown>>) => boolean;
}

/** `owner`, `repo`; or both in one, also as an address. */
function repository(args: readonly string[]): string {
  const whole = args.length > 1 ? `${args[0]}/${args[1]}` : (args[0] ?? "");
  const [, owner, repo] =
    /^(?:(?:https?:\/\/|git@)[^/:]+[/:])?([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(whole) ?? [];
  if (owner === undefined || repo === undefined || [owner, repo].includes(".."))
    throw new WrongSpec("the table wants a repository: ('owner', 'repo') or an address");
  return `/repos/${owner}/${repo}`;
}
function login([name = ""]: readonly string[]): string {
  if (!/^[\w.-]+$/.test(name) || name === "..")
    throw new WrongSpec("the table wants a name: ('name')");
  return name;
}

const upper = (value: unknown) => (typeof value === "string" ? value.toUpperCase() : null);

const commits: Table = {
  path: (args) => `${repository(args)}/commits`,
  columns: {
    hash: "sha",
    message: "commit.message",
    author_name: "commit.author.name",
    author_email: "commit.author.email",
    author_when: "commit.author.date",
    committer_name: "commit.committer.name",
    committer_email: "commit.committer.email",
    committer_when: "commit.committer.date",
    url: "html_url",
  },
  derived: ({ parents }) => ({ parents: Array.isArray(parents) ? parents.length : 0 }),
};

const repositories = {
  name: "name",
  full_name: "full_name",
  description: "description",
  url: "html_url",
  homepage_url: "homepage",
  default_branch_ref_name: "default_branch",
  primary_language: "language",
  stargazer_count: "stargazers_count",
  fork_count: "forks_count",
  watcher_count: "watchers_count",
  issue_count: "open_issues_count",
  disk_usage: "size",
  is_private: "private",
  is_fork: "fork",
  is_archived: "archived",
  is_disabled: "disabled",
  created_at: "created_at",
  updated_at: "updated_at",
  pushed_at: "pushed_at",
} as const;

const common = {
  number: "number",
  title: "title",
  body: "body",
  url: "html_url",
  author_login: "user.login",
  locked: "locked",
  milestone: "milestone.title",
  created_at: "created_at",
  updated_at: "updated_at",
  closed_at: "closed_at",
} as const;

export const tables: Readonly<Record<string, Table>> = {
  commits,
  github_repo_commits: commits,
  github_repo_issues: {
    path: (args) => `${repository(args)}/issues`,
    query: { state: "all" },
    columns: { ...common, comment_count: "comments" },
    derived: ({ state }) => ({ state: upper(state), closed: state === "closed" }),
    isOther: ({ pull_request }) => pull_request !== undefined,
  },
  github_repo_prs: {
    path: (args) => `${repository(args)}/pulls`,
    query: { state: "all" },
    columns: {
      ...common,
      merged_at: "merged_at",
      is_draft: "draft",
      base_ref_name: "base.ref",
      head_ref_name: "head.ref",
    },
    derived: ({ state, merged_at }) => ({
      merged: typeof merged_at === "string",
      closed: state === "closed",
      state: typeof merged_at === "string" ? "MERGED" : upper(state),
    }),
  },
  github_repo_branches: {
    path: (args) => `${repository(args)}/branches`,
    columns: { name: "name", commit_hash: "commit.sha", is_protected: "protected" },
  },
  github_stargazers: {
    path: (args) => `${repository(args)}/stargazers`,
    accept: "application/vnd.github.star+json",
    columns: { login: "user.login", url: "user.html_url", starred_at: "starred_at" },
  },
  github_org_repos: { path: (args) => `/orgs/${login(args)}/repos`, columns: repositories },
  github_user_repos: { path: (args) => `/users/${login(args)}/repos`, columns: repositories },
};

export const columnsOf = ({ columns, derived }: Table): string[] => [
  ...Object.keys(columns),
  ...Object.keys(derived?.({}) ?? {}),
];

function valueAt(json: unknown, way: string): Cell {
  let value = json;
  for (const key of way.split(".")) value = asObject(value)[key];
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? value
    : null;
}

export function rowOf(table: Table, json: unknown): Row {
  const cells = Object.entries(table.columns).map(([name, way]) => [name, valueAt(json, way)]);
  return {
    ...(Object.fromEntries(cells) as Record<string, Cell>),
    ...table.derived?.(asObject(json)),
  };
}
