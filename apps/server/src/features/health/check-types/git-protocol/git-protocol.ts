import { checkSpecs, type GitProtocolSpec } from "@mainstay/contract";
import type { Value } from "@mainstay/scripting";
import { fileIn, readPack } from "#platform/outbound/git/read-pack.ts";
import {
  type GitLogin,
  type GitOptions,
  type GitRefs,
  overHttp,
  overSocket,
  overSsh,
  packIn,
  readRefs,
  type Repository,
  wantOne,
} from "#platform/outbound/git/upload-pack.ts";
import {
  fillCredentials,
  readableAddress,
  splitUserInfo,
} from "#platform/outbound/http/address.ts";
import { attemptHttp, WrongSpec } from "../attempt-http.ts";
import { checkType, cutToJson, failed, inMs, passed } from "../check-type.ts";

/** Branches and tags that are kept and shown, and characters of a file. */
const mostShown = 200;
const mostContent = 32_768;

const sshPort = 22;

async function open(spec: GitProtocolSpec, options: GitOptions): Promise<Repository> {
  const username = spec.username?.value;
  const password = spec.password?.value;
  const text = fillCredentials(spec.repository, username, password);
  const sign = (user: string | undefined, secret: string | undefined) => ({
    username: user || username || "git",
    password: secret || password || undefined,
    privateKey: spec.certificate?.value || undefined,
  });
  // As ssh shortens addresses; the path begins at the user's own folder then.
  const [, user, short, path = ""] = /^([\w.-]+)@([\w.-]+):(?!\/\/)(.+)$/.exec(text) ?? [];
  if (short !== undefined)
    return overSsh({ ...sign(user, undefined), host: short, port: sshPort }, path, options);
  if (!URL.canParse(text) || /^[a-z]:/i.test(text))
    throw new WrongSpec(
      "the repository is no address: https://host/path, http://, git://, ssh://git@host/path or git@host:path",
    );
  const { url, credentials } = splitUserInfo(new URL(text));
  const isGiven = username !== undefined || password !== undefined;
  const given = isGiven ? { username: username ?? "", password: password ?? "" } : undefined;
  const login: GitLogin | undefined = credentials ?? given;
  switch (url.protocol) {
    case "http:":
    case "https:":
      return overHttp(url, login, options);
    case "git:":
      return overSocket(url, options);
    case "ssh:":
      return overSsh(
        {
          host: url.hostname.replace(/^\[|\]$/g, ""),
          port: Number(url.port || sshPort),
          ...sign(credentials?.username, credentials?.password),
        },
        decodeURIComponent(url.pathname).replace(/^\/(?=~)/, ""),
        options,
      );
    default:
      throw new WrongSpec(
        `repositories are asked over https, http, git and ssh, not ${url.protocol.slice(0, -1).slice(0, 40)}`,
      );
  }
}

/** The commit that is looked at first, and the branch that it is the end of. */
function headOf({ refs, head }: GitRefs): { commit: string; branch: string } | undefined {
  const commit = refs.get("HEAD") ?? (head && refs.get(head));
  if (!commit) return undefined;
  const branch =
    head ?? [...refs].find(([name, id]) => name !== "HEAD" && id === commit)?.[0] ?? "HEAD";
  return { commit, branch: branch.replace(/^refs\/heads\//, "") };
}

export const gitProtocol = checkType<GitProtocolSpec>({
  type: "gitProtocol",
  spec: checkSpecs.gitProtocol,
  network: true,
  endpoint: (spec) => readableAddress(spec.repository),
  run: (input) =>
    attemptHttp(input, async () => {
      const { spec, signal, connector } = input;
      const started = performance.now();
      const repository = await open(spec, { signal, connector });
      try {
        const known = readRefs(await repository.advertised());
        const refs = [...known.refs]
          .filter(([name]) => name.startsWith("refs/"))
          .map(([name, commit]) => ({ name, commit }));
        const head = headOf(known);
        const about = { refs: refs.slice(0, mostShown), count: refs.length, ...head };
        const outcome = (file?: { name: string; size: number; content: string }) => ({
          durationMs: performance.now() - started,
          details: { ...about, ...(file && { file }) },
          data: () => ({ results: { ...about, refs, ...(file && { file }) } as unknown as Value }),
        });
        const where = head ? ` at ${head.branch}` : "";
        const { filename } = spec;
        if (!filename) {
          const what =
            refs.length === 0 ? "the repository is empty" : `${refs.length} branches and tags`;
          const found = outcome();
          return passed(`${what}${where} in ${inMs(found.durationMs)}`, found);
        }
        if (!head)
          return failed(`there is no ${filename}: the repository has no commit`, outcome());
        const sent = await repository.fetch(wantOne(head.commit, known));
        const pack = await readPack(packIn(sent), signal);
        const content = fileIn(pack, head.commit, filename);
        if (!content) return failed(`there is no ${filename}${where}`, outcome());
        const text = cutToJson(content.toString("utf8"), mostContent);
        const found = outcome({ name: filename, size: content.length, content: text });
        return passed(
          `${filename}${where}, ${content.length} bytes, in ${inMs(found.durationMs)}`,
          found,
        );
      } finally {
        repository.end();
      }
    }),
});
