import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";

/** Whoever has read one feature finds their way in the next: what has a role stands in a file of the role's name. */

const features = join(import.meta.dirname, "features");
const files = globSync("**/*.{ts,tsx}", { cwd: features })
  .filter((file) => !/\.test\.|(^|\/)testing\//.test(file))
  .map((file) => ({ file, text: readFileSync(join(features, file), "utf8") }));

/** What marks a role, and where it may stand. */
const roles = [
  ["what is asked of the server, and its cache key", /\bqueryOptions\(/, ["queries"]],
  ["what is changed on the server", /\buseMutation\(/, ["mutations"]],
  ["columns that a table is given", /export const \w+: readonly (List)?Column</, ["columns"]],
  ["what the command palette offers", /: PalettePart =/, ["palette"]],
  ["what guests of a resource are given", /declare module "#lib\/places/, ["places"]],
  ["pages, navigation and contributions", /: ConsoleFeature =/, ["index"]],
] as const;

/** Asked before there is a console, and by it: part of signing in. */
const exceptions = ["identity/start-up.ts"];

test("files were seen", () => {
  expect(files.length).toBeGreaterThan(100);
});

test.each(roles)("%s stands in a file of its role's name", (_what, mark, names) => {
  const found = files.filter(({ text }) => mark.test(text)).map(({ file }) => file);
  expect(found).not.toEqual([]);
  const elsewhere = found.filter(
    (file) =>
      !exceptions.includes(file) &&
      !names.some((name) => basename(file).replace(/\.tsx?$/, "") === name),
  );
  expect(elsewhere).toEqual([]);
});

test("every feature has a face", () => {
  const folders = new Set(files.map(({ file }) => file.split("/")[0]));
  const faces = new Set(files.flatMap(({ file }) => /^([\w-]+)\/index\.ts$/.exec(file)?.[1] ?? []));
  expect(folders).toEqual(faces);
});

test("what is large has rooms", () => {
  const inFolder = Map.groupBy(files, ({ file }) => file.slice(0, file.lastIndexOf("/")));
  const crowded = [...inFolder].filter(([, own]) => own.length > 20).map(([folder]) => folder);
  expect(crowded).toEqual([]);
});

/** In front of the console, where a part is the whole page; of the gallery; and what says itself that it is missing, or nothing. */
const ownWays = [
  "apps/console/src/app/Notices.tsx",
  "apps/console/src/app/front/FrontPage.tsx",
  "apps/console/src/features/hosted/HostedDoor.tsx",
  "apps/console/src/features/identity/flows/FlowForm.tsx",
  "apps/console/src/lib/places/LazyGuest.tsx",
  "packages/ui/src/lazy-part.tsx",
];

test("a part that cannot be fetched takes nothing else away: it is a `lazyPart`", () => {
  const root = join(import.meta.dirname, "../../..");
  const lazy = globSync(["apps/console/src/**/*.tsx", "packages/ui/src/**/*.tsx"], { cwd: root })
    .filter((file) => !file.startsWith("apps/console/src/gallery/"))
    .filter((file) => /\blazy\(/.test(readFileSync(join(root, file), "utf8")));
  expect(lazy.toSorted()).toEqual(ownWays);
});
