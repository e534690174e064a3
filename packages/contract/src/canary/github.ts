import { z } from "zod";
import { secret, secretIn } from "../secrets/marks.ts";
import { commonShape, envVar } from "./fields.ts";

export const githubSpec = z
  .looseObject({
    ...commonShape,
    connection: secretIn("address", z.string().max(2048))
      .optional()
      .describe("A stored connection (connection://namespace/name) with the token."),
    url: secretIn("address", z.string().max(8192))
      .optional()
      .describe("Address of the API of a server of your own; https://api.github.com when absent."),
    query: z
      .string()
      .min(1)
      .max(20_000)
      .describe(
        "A query over GitHub, in SQL: columns of one table such as github_repo_issues('owner', 'repo'), with conditions, an order and a limit.",
      ),
    githubToken: secret(envVar).optional().describe("Token that may read what is asked for."),
    password: secret(envVar).optional().describe("Another name for githubToken."),
  })
  .describe("A query to GitHub.");

export type GithubSpec = z.output<typeof githubSpec>;
