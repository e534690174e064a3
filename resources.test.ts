import { join } from "node:path";
import { expect, test } from "vitest";

/** What has a name on the server can be gone to in the console, or it is said here why it cannot. */

const withoutConsole: Readonly<Record<string, string>> = {
  agent: "agents have no page yet",
};

// Names that the compiler does not follow: these two never meet in a program.
const featuresOf = async <Feature>(app: string): Promise<readonly Feature[]> => {
  const module = (await import(join(import.meta.dirname, `apps/${app}/src/features.ts`))) as {
    features: readonly Feature[];
  };
  return module.features;
};
interface OnServer {
  resources?: readonly { kind: string; read: string; search?: { as: string } }[];
}
interface InConsole {
  resources?: readonly { kind: string; read: string; search?: { as: string } }[];
}

const server = (await featuresOf<OnServer>("server")).flatMap(({ resources = [] }) => resources);
const console_ = (await featuresOf<InConsole>("console")).flatMap(
  ({ resources = [] }) => resources,
);
const kindsOf = (all: readonly { kind: string }[]) => all.map(({ kind }) => kind).toSorted();

test("every kind of the server is declared by the console, or it is said why not", () => {
  expect(kindsOf(server).length).toBeGreaterThan(5);
  expect([...kindsOf(console_), ...Object.keys(withoutConsole)].toSorted()).toEqual(
    kindsOf(server),
  );
});

test.each(console_)("$kind is read and searched as the server has it", ({ kind, read, search }) => {
  const declared = server.find((one) => one.kind === kind);
  expect(read).toBe(declared?.read);
  // What can be searched is found by the palette.
  expect(search?.as).toBe(declared?.search?.as);
});
