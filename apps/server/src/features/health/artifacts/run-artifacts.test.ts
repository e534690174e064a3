import { createGate } from "#platform/gate.ts";
import { expect, test, vi } from "vitest";
import { artifactLimits } from "@mainstay/contract";
import { type Left, Unreadable } from "#platform/outbound/left-files.ts";
import { type ArtifactPlace, createRunArtifacts } from "./run-artifacts.ts";

const running = new AbortController().signal;

const file = (path: string, size = 3): Left => ({
  path,
  size,
  read: (most) => Promise.resolve(size > most ? undefined : Buffer.alloc(size)),
});
async function* all(...files: Left[]): AsyncGenerator<Left> {
  yield* files;
}

function fakePlace(more: Partial<ArtifactPlace> = {}) {
  const kept: string[] = [];
  const place: ArtifactPlace = {
    put({ path }) {
      kept.push(path);
      return Promise.resolve(undefined);
    },
    clear() {
      kept.length = 0;
      return Promise.resolve();
    },
    settle: () => Promise.resolve(),
    failed: vi.fn(),
    ...more,
  };
  return { kept, place };
}
const { kept: _none, place: anyPlace } = fakePlace();
const begin = (place: ArtifactPlace | undefined = anyPlace) =>
  createRunArtifacts(createGate({ running: 1 }), place);

test("files that fit are kept, and nothing is said", async () => {
  const { kept, place } = fakePlace();
  const artifacts = begin(place);
  await artifacts.keep(all(file("a"), file("b", 0)), { signal: running });
  expect(kept).toEqual(["a", "b"]);
  expect(artifacts.note()).toBeUndefined();
});

const { fileBytes, runFiles, runBytes } = artifactLimits;

test.each<[string, Left[], number, RegExp]>([
  [
    "a file that is too large",
    [file("big", fileBytes + 1), file("small")],
    1,
    /^not kept: big \(larger than 10mb\)$/,
  ],
  [
    "one whose size shows when it is read",
    [{ path: "a", read: () => Promise.resolve(undefined) }],
    0,
    /^not kept: a \(larger than 10mb\)$/,
  ],
  [
    "too much together",
    Array.from({ length: 5 }, (_, index) => file(`f${index}`, fileBytes)),
    Math.floor(runBytes / fileBytes),
    /^not kept: f3 \(more than 32mb together\), f4 \(more than 32mb together\)$/,
  ],
  [
    "too many",
    Array.from({ length: runFiles + 2 }, (_, index) => file(`f${index}`)),
    runFiles,
    /^files: a run keeps 100 files, and there were more$/,
  ],
  [
    "what cannot be read",
    [
      { path: "link", problem: "a link" },
      { path: "b", read: () => Promise.reject(new Unreadable("changed")) },
      ...["c", "d", "e"].map((path) => ({ path, problem: "no" })),
      file("good"),
    ],
    1,
    /^not kept: link \(a link\), b \(changed\), c \(no\) and 2 more$/,
  ],
])("%s is left out and said", async (_name, files, count, note) => {
  const { kept, place } = fakePlace();
  const artifacts = begin(place);
  await artifacts.keep(all(...files), { signal: running });
  expect(kept.length).toBe(count);
  expect(artifacts.note()).toMatch(note);
});

test("what keeps a place from taking files is said, and heard by the server", async () => {
  const refusing = fakePlace({ put: () => Promise.resolve("it is full") });
  const full = begin(refusing.place);
  await full.keep(all(file("a")), { signal: running });
  expect(full.note()).toBe("not kept: a (it is full)");

  const broken = fakePlace({ put: () => Promise.reject(new Error("connection lost")) });
  const failing = begin(broken.place);
  await failing.keep(all(file("a"), file("b")), { signal: running });
  expect(failing.note()).toBe("files: the server could not keep them; its log says why");
  expect(broken.place.failed).toHaveBeenCalledExactlyOnceWith(new Error("connection lost"));
});

test("a run without time left keeps none, and one that ends meanwhile waits for nobody", async () => {
  const late = begin();
  await late.keep(all(file("a")), { signal: AbortSignal.abort() });
  expect(late.note()).toBe("files: the run had no time left for it");

  const ending = new AbortController();
  const deaf = begin(
    fakePlace({
      put() {
        ending.abort();
        return new Promise(() => {});
      },
    }).place,
  );
  await deaf.keep(all(file("a")), { signal: ending.signal });
  expect(deaf.note()).toBe("files: the run had no time left for it");
});

test("of a check that is tried again the last try counts", async () => {
  const { kept, place } = fakePlace();
  const artifacts = begin(place);
  await artifacts.keep(all(file("a"), { path: "b", problem: "a link" }), { signal: running });
  await artifacts.forget();
  expect([kept, artifacts.note()]).toEqual([[], undefined]);
  await artifacts.keep(all(file("c")), { signal: running });
  expect([kept, artifacts.note()]).toEqual([["c"], undefined]);

  const stuck = begin(fakePlace({ clear: () => Promise.reject(new Error("away")) }).place);
  await stuck.keep(all(file("a")), { signal: running });
  await stuck.forget();
  expect(stuck.note()).toBe("files: those of an earlier try may be among them");
});

test("without a place it is said what would be kept", async () => {
  const artifacts = createRunArtifacts(createGate({ running: 1 }));
  await artifacts.keep(all(...["a", "b", "c", "d"].map((path) => file(path, 2048))), {
    signal: running,
  });
  expect(artifacts.note()).toBe("would keep a (2kb), b (2kb), c (2kb) and 1 more");
});
