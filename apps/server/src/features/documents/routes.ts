import { appliedSource, joinDocuments } from "@mainstay/contract";
import { z } from "zod";
import { findKind } from "#platform/documents/collect-kinds.ts";
import type { DocumentKind } from "#platform/documents/document-kind.ts";
import { saveDocuments } from "#platform/documents/save-documents.ts";
import { invalid, notFound } from "#platform/errors.ts";
import type { Services } from "#platform/feature.ts";
import type { Http } from "#platform/http/route.ts";
import type { FastifyReply } from "fastify";
import { deleteDocument } from "./delete-document.ts";
import { findDocument, listDocuments, mostListed } from "./find-documents.ts";

/** Largest text of documents that is accepted; what is inside has limits of its own. */
const TEXT_LIMIT = 2 * 1024 * 1024;

const flag = z
  .enum(["true", "false", ""])
  .transform((text) => text !== "false")
  .default(false);
const word = z.string().max(1024);
const output = z.enum(["yaml", "json"]).optional();

const SaveQuery = z.object({
  source: word.min(1).default(appliedSource),
  dryRun: flag,
  prune: word.optional(),
  /** What is pruned, apart by commas; the kinds of the text unless said. */
  kinds: word.optional(),
});
const KindParams = z.object({ kind: word });
const OneParams = KindParams.extend({ name: word });
const NamedParams = OneParams.extend({ namespace: word });
const ListQuery = z.object({
  name: word.optional(),
  namespace: word.optional(),
  source: word.optional(),
  labels: word.optional(),
  /** Apart by commas. */
  ids: z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(z.guid()).max(100))
    .optional(),
  limit: z.coerce.number().int().min(1).max(mostListed).default(mostListed),
  offset: z.coerce.number().int().min(0).default(0),
  output,
  /** With the texts of the documents. */
  text: flag,
  /** Only those that no longer say what their source applied last, with what that was. */
  drifted: flag,
});
const OneQuery = z.object({ namespace: word.optional(), source: word.optional(), output });
const NamedQuery = z.object({ source: word.optional(), output });

export function routes(http: Http, { documents: kinds }: Services): void {
  const kindOf = (text: string): DocumentKind => {
    const kind = findKind(kinds, text);
    if (!kind) throw notFound(`There is no kind of documents called "${text.slice(0, 100)}".`);
    return kind;
  };

  // Each kind asks for a right of its own.
  http.get("/api/documents", { access: "session" }, ({ ctx }) => ({
    kinds: kinds
      .filter(({ format }) => ctx.can(format.resource, "read"))
      .map(({ format: { kind, name, plural, apiVersions, resource } }) => ({
        kind,
        name,
        plural,
        apiVersions,
        writable: ctx.can(resource, "write"),
      })),
  }));
  http.post(
    "/api/documents",
    {
      access: "session",
      query: SaveQuery,
      body: z.string({ error: "Send documents as YAML or JSON." }).max(TEXT_LIMIT),
      bodyAsText: true,
      bodyLimit: TEXT_LIMIT,
    },
    ({ ctx, query: { kinds: words, ...query }, body: text }) => {
      if (words !== undefined && query.prune === undefined)
        throw invalid("kinds says what prune may delete; without it there is nothing to say.");
      const pruneKinds = words?.split(",").map((each) => kindOf(each.trim()));
      return saveDocuments(ctx, kinds, { ...query, text, pruneKinds });
    },
  );
  http.get(
    "/api/documents/:kind",
    { access: "session", params: KindParams, query: ListQuery },
    async ({ ctx, params, query: { output: as, ...query }, reply }) => {
      const kind = kindOf(params.kind);
      const found = await listDocuments(ctx, kind, { ...query, text: query.text || as === "yaml" });
      if (as === "json") return found.map(({ document }) => document);
      if (as === "yaml")
        return sendYaml(
          reply,
          kind.format.plural,
          joinDocuments(found.map(({ text = "" }) => text)),
        );
      return { documents: found };
    },
  );

  const addresses = [
    { path: "/api/documents/:kind/:name", params: OneParams, query: OneQuery },
    { path: "/api/documents/:kind/:namespace/:name", params: NamedParams, query: NamedQuery },
  ] as const;
  for (const { path, params: schema, query: querySchema } of addresses) {
    const options = {
      access: "session",
      params: schema as z.ZodType<Asked>,
      query: querySchema as z.ZodType<z.infer<typeof OneQuery>>,
    } as const;
    http.get(path, options, async ({ ctx, params, query: { output: as, ...query }, reply }) => {
      const kind = kindOf(params.kind);
      const stored = await findDocument(ctx, kind, { ...query, ...named(params) });
      const { document, text } = stored;
      if (as === "json") return document;
      if (as === "yaml") return sendYaml(reply, document.metadata.name, text);
      return stored;
    });
    http.delete(path, options, ({ ctx, params, query: { namespace, source } }) =>
      deleteDocument(ctx, kindOf(params.kind), { namespace, source, ...named(params) }),
    );
  }
}

interface Asked {
  kind: string;
  name: string;
  namespace?: string | undefined;
}

/** Without what is not there: it would hide what the query says. */
const named = ({ name, namespace }: Asked) => ({
  name,
  ...(namespace === undefined ? {} : { namespace }),
});

/** A download that can be applied again. */
function sendYaml(reply: FastifyReply, name: string, text: string): FastifyReply {
  const file = name.replaceAll(/[^\w.-]+/g, "-");
  return reply
    .type("application/yaml; charset=utf-8")
    .header("content-disposition", `attachment; filename="${file}.yaml"`)
    .send(text);
}
