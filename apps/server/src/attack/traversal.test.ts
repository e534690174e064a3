import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eachLimited } from "#platform/each-limited.ts";
import { sendRaw, startHttpServer } from "#platform/http/testing/http-server.ts";
import { startTestApp, type TestApp } from "../testing/app.ts";
import { createPerson, type TestPerson } from "../testing/people.ts";
import { alarm } from "./testing/calm.ts";
import { endpointsOf } from "./testing/endpoints.ts";
import { sample } from "@mainstay/testkit/sample.ts";

/** Paths that try to lead out of where files are served from. They are sent as they are: no client tidies them up. */

/** A step up, in every writing that something on the way may decode. */
const steps = [
  "..",
  "%2e%2e",
  "%2E.",
  ".%2e",
  "%252e%252e",
  "%25252e%25252e",
  "%c0%ae%c0%ae",
  "%e0%80%ae%e0%80%ae",
  "%f0%80%80%ae%f0%80%80%ae",
  "%uff0e%uff0e",
  "．．",
  "..%00",
  "..;",
  "....",
  ".../",
  "..%20",
];
const separators = [
  "/",
  "//",
  "\\",
  "%2f",
  "%5c",
  "%252f",
  "%255c",
  "%c0%af",
  "%c1%9c",
  "/./",
  "%00/",
];
const targets = ["outside.txt", "etc/passwd", "proc/self/environ"];
const ends = ["", "%00", "%00.js", "?x.js", "#.js", "/", "%20", ".js/../../outside.txt"];

function paths(before: string): string[] {
  const climbing = steps.flatMap((step) =>
    separators.flatMap((separator) => [1, 6].map((times) => `${step}${separator}`.repeat(times))),
  );
  return [
    ...climbing.flatMap((up) => targets.map((target) => `${before}${up}${target}`)),
    ...ends.map((end) => `${before}../../../../../../etc/passwd${end}`),
    `${before}/etc/passwd`,
    `${before}%2fetc%2fpasswd`,
    `${before}file:%2f%2f%2fetc%2fpasswd`,
    `${before}C:%5cWindows%5cwin.ini`,
    `${before}.env`,
    `${before}.git/config`,
  ];
}
/** What is in files that are none of anybody's business. */
const leaked = /root:[x*]?:0:0|OUTSIDE|PATH=|"workspaces"|\[core\]/;
const headOf = (text: string) => text.split("\r\n", 1)[0] ?? "";

test("no path leads out of the console's files", async () => {
  const folder = mkdtempSync("/tmp/mainstay-outside-");
  writeFileSync(join(folder, "outside.txt"), "OUTSIDE");
  const server = await startHttpServer({
    console: {
      "index.html": "<title>the console</title>",
      "assets/index-1.js": "inside",
    },
  });
  try {
    const wrong: string[] = [];
    const all = ["/", "/assets/", "/assets/index-1.js/"].flatMap(paths);
    await eachLimited(sample(all, 120), 8, async (path) => {
      const text = await sendRaw(
        server.port,
        `GET ${Buffer.from(path).toString("latin1")} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`,
      );
      if (leaked.test(text) || !/^HTTP\/1\.1 (200|40[034]|414)/.test(text))
        wrong.push(`${path}: ${headOf(text)}`);
    });
    expect(wrong).toEqual([]);
    expect((await server.as().get("/assets/index-1.js")).text).toBe("inside");
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
});

test("no route with a name in its path reads another file by it", async () => {
  const app: TestApp = await startTestApp({ role: "api", logLevel: "fatal" });
  try {
    const person: TestPerson = await createPerson(app, "admin");
    const port = Number(new URL(app.address).port);
    const named = endpointsOf(app).filter(
      ({ isReading, route }) => isReading && /:|\*$/.test(route),
    );
    expect(named.map(({ route }) => route)).toContain("/api/schemas/:file");
    const wrong: string[] = [];
    for (const { route } of named) {
      const before = route.slice(0, route.search(/:|\*$/));
      await eachLimited(sample(paths(before), 16), 8, async (path) => {
        const text = await sendRaw(
          port,
          `GET ${Buffer.from(path).toString("latin1")} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Session-Token: ${person.token}\r\nConnection: close\r\n\r\n`,
        );
        const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
        const found = alarm({ status, text }, path);
        if (leaked.test(text)) found.push("tells what is in a file");
        wrong.push(...found.map((what) => `${path}: ${what}`));
      });
    }
    expect(wrong).toEqual([]);
    const good = await person.get("/api/schemas/canary.schema.json");
    expect([good.status, good.json.type]).toEqual([200, expect.anything()]);
  } finally {
    await app.stop();
  }
});
