import { z } from "zod";
import { secretIn } from "../secrets/marks.ts";
import { baseShape } from "./base-fields.ts";
import { textList } from "./texts.ts";

export const fileScraper = z
  .looseObject({
    ...baseShape,
    url: secretIn("address", z.string().max(8192))
      .optional()
      .describe(
        "Where the files are: a repository of Git (git::https://…, github.com/team/repo//folder?ref=main), a file over HTTP, s3://bucket/folder, gs://bucket/folder, or a folder of this machine, as it is when absent.",
      ),
    paths: textList(4096, 1000)
      .optional()
      .describe("Files to read, with *, ** and ?; all of JSON and YAML when absent."),
    ignore: textList(4096, 1000).optional().describe("Files to leave out, with *, ** and ?."),
    icon: z.string().max(256).optional().describe("Icon of the items."),
    connection: secretIn("address", z.string().max(2048))
      .optional()
      .describe("A stored connection (connection://namespace/name) with address and credentials."),
  })
  .describe("Files, of a repository, of a web address or of this machine.");

export type FileScraper = z.output<typeof fileScraper>;
