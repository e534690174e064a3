import { hash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { CorpusRequest } from "./corpus.ts";
import { type PostgRest, type Reply, whyNoPostgRest } from "./postgrest.ts";

/**
 * Answers of PostgREST that were written down, for where the program cannot run.
 *
 * A recording is a file of `recorded/`: each request's key stands with its status and the keys of its headers and its
 * body, which stand once each. Where the program runs, each of its answers is held against the recording, so that one
 * that is out of date is found; `npm run record -w @mainstay/data-api` makes them anew.
 */

/** Which answers are written down, and what of them. */
export interface Recording {
  /** Of its file. */
  name: string;
  keepsHeader(name: string): boolean;
  /** What is compared of an answer. An answer with other words for the same facts is no other answer. */
  facts(reply: Reply): unknown;
}

type Answers = Map<string, Reply>;

interface RecordingFile {
  headers: Record<string, string>;
  bodies: Record<string, string>;
  answers: Record<string, string>;
}

const version = "PostgREST 12.0.2";
const reason = whyNoPostgRest();
const how = "npm run record -w @mainstay/data-api";

/** For the names of tests: what ours is compared with in this run. */
export const comparison =
  reason === undefined
    ? `compared with ${version}`
    : `compared with recorded answers of ${version}, the program cannot run here`;

/** Starts PostgREST, or answers as it did where it cannot run. */
export async function openPostgRest(
  recording: Recording,
  start: () => Promise<PostgRest>,
): Promise<PostgRest> {
  const isRecording = process.env["MAINSTAY_RECORD_POSTGREST"] === "1";
  if (isRecording && reason !== undefined)
    throw new Error(`Nothing can be recorded where PostgREST cannot run: ${reason}`);
  if (reason !== undefined) {
    process.stderr.write(`${recording.name}: ${comparison} (${reason}).\n`);
    return replay(recording);
  }
  const real = await start();
  return isRecording ? writeDown(recording, real) : holdAgainst(recording, real);
}

/** Answers as it is written down. */
export function replay({ name }: Pick<Recording, "name">): PostgRest {
  const answers = readAnswers(name);
  return {
    ask: async (asked) => answers.get(keyOf(asked)) ?? notRecorded(name, asked),
    stop: async () => undefined,
  };
}

/** Asks, and refuses an answer that is not the one that is written down. */
export function holdAgainst(recording: Recording, real: PostgRest): PostgRest {
  const answers = readAnswers(recording.name);
  return {
    async ask(asked) {
      const reply = cut(recording, await real.ask(asked));
      const written = answers.get(keyOf(asked)) ?? notRecorded(recording.name, asked);
      const [now, then] = [factsText(recording, reply), factsText(recording, written)];
      if (now !== then) {
        throw new Error(
          `The recording ${recording.name} is out of date for ${shown(asked)}: ${how}\n  now  ${now}\n  then ${then}`,
        );
      }
      return reply;
    },
    stop: () => real.stop(),
  };
}

/** Asks, and writes the answers down in the end. What is the same by its facts stays as it was written. */
function writeDown(recording: Recording, real: PostgRest): PostgRest {
  const before = readAnswers(recording.name);
  const answers: Answers = new Map();
  return {
    async ask(asked) {
      const reply = cut(recording, await real.ask(asked));
      const written = before.get(keyOf(asked));
      const isSame = written && factsText(recording, written) === factsText(recording, reply);
      answers.set(keyOf(asked), isSame ? written : reply);
      return reply;
    },
    async stop() {
      await real.stop();
      writeAnswers(recording.name, answers);
    },
  };
}

/** What tells a request from others. */
export const keyOf = ({ method, url, headers = {}, body, as }: CorpusRequest): string =>
  shortHash(JSON.stringify([method, url, headers, body, as]));

/** The keys of all requests whose answers are written down. */
export const recordedKeys = (name: string): string[] => [...readAnswers(name).keys()];

const shown = ({ as, method, url }: CorpusRequest) =>
  `${as === undefined ? "" : `${as}: `}${method} ${url}`;

function notRecorded(name: string, asked: CorpusRequest): never {
  throw new Error(
    `The recording ${name} has no answer to ${shown(asked)}, record it: ${how} (on Linux x64).`,
  );
}

const factsText = ({ facts }: Recording, reply: Reply) => JSON.stringify(facts(reply));

function cut({ keepsHeader }: Recording, { status, headers, body }: Reply): Reply {
  const kept = Object.entries(headers).filter(([name]) => keepsHeader(name));
  return { status, headers: Object.fromEntries(kept.toSorted(byKey)), body };
}

const shortHash = (text: string) => hash("sha256", text, "base64url").slice(0, 10);
const byKey = ([left]: [string, unknown], [right]: [string, unknown]) => (left < right ? -1 : 1);

const fileOf = (name: string) => new URL(`recorded/${name}.json`, import.meta.url);

function readAnswers(name: string): Answers {
  if (!existsSync(fileOf(name))) return new Map();
  const { headers, bodies, answers } = JSON.parse(
    readFileSync(fileOf(name), "utf8"),
  ) as RecordingFile;
  const replies = Object.entries(answers).map(([key, answer]): [string, Reply] => {
    const [status = "", headersKey = "", bodyKey = ""] = answer.split(" ");
    const [lines, body] = [headers[headersKey], bodies[bodyKey]];
    if (lines === undefined || body === undefined)
      throw new Error(`The recording ${name} is broken at ${key}: ${how}`);
    return [key, { status: Number(status), headers: readHeaders(lines), body }];
  });
  return new Map(replies);
}

/** In the order of the keys, so that little changes when an answer does; as the formatter leaves it. */
function writeAnswers(name: string, answers: Answers): void {
  const file: RecordingFile = { headers: {}, bodies: {}, answers: {} };
  for (const [key, { status, headers, body }] of answers) {
    const lines = headerLines(headers);
    const [headersKey, bodyKey] = [shortHash(lines), shortHash(body)];
    file.headers[headersKey] = lines;
    file.bodies[bodyKey] = body;
    file.answers[key] = `${status} ${headersKey} ${bodyKey}`;
  }
  const sections = Object.entries<Record<string, string>>({ ...file }).map(([section, entries]) => [
    section,
    Object.fromEntries(Object.entries(entries).toSorted(byKey)),
  ]);
  mkdirSync(new URL("recorded/", import.meta.url), { recursive: true });
  writeFileSync(fileOf(name), `${JSON.stringify(Object.fromEntries(sections), undefined, 2)}\n`);
}

/** Headers as HTTP writes them. */
const headerLines = (headers: Reply["headers"]): string =>
  Object.entries(headers)
    .flatMap(([name, value]) => [value ?? []].flat().map((one) => `${name}: ${one}`))
    .join("\n");

function readHeaders(lines: string): Reply["headers"] {
  const pairs = lines.split("\n").flatMap((line) => {
    const [, name, value] = /^([^:]+): (.*)$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [{ name, value }];
  });
  const grouped = Map.groupBy(pairs, ({ name }) => name);
  // As Node hands them over: this one is a list even when it is alone.
  return Object.fromEntries(
    [...grouped].map(([name, given]) => {
      const values = given.map(({ value }) => value);
      return [name, name === "set-cookie" ? values : values.join(", ")];
    }),
  );
}
