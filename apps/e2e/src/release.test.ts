// Takes long: the program is packed, and installed with all its dependencies into an empty folder.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readAccess, startServer } from "./server.ts";

const root = join(import.meta.dirname, "../../..");
const folder = mkdtempSync("/tmp/mainstay-release-");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test(
  "the packed tarball installs into an empty folder, starts there, and runs a document",
  { timeout: 600_000 },
  async () => {
    const printed = execFileSync(process.execPath, [join(root, "scripts/release.mjs"), folder], {
      cwd: root,
      encoding: "utf8",
    });
    const tarball = printed.trim().split("\n").at(-1)!;
    const target = join(folder, "somewhere");
    execFileSync("mkdir", [target]);
    writeFileSync(join(target, "package.json"), "{}");
    const quietly = ["--no-audit", "--no-fund", "--loglevel=error", "--prefer-offline"];
    execFileSync("npm", ["install", ...quietly, tarball], { cwd: target, stdio: "inherit" });
    const command = join(target, "node_modules/.bin/mainstay");

    expect(execFileSync(command, ["version"], { encoding: "utf8" }).trim()).toBe("0.1.0");

    const server = await startServer({ command: [command, "serve"] });
    try {
      const health = await fetch(`${server.address}/api/_health`);
      expect(await health.json()).toEqual({ health: "ok" });
      const page = await fetch(`${server.address}/health`, {
        headers: { "accept-encoding": "br" },
      });
      expect(page.status).toBe(200);
      expect(page.headers.get("content-type")).toContain("text/html");

      const document = join(target, "one.yaml");
      writeFileSync(
        document,
        [
          "apiVersion: canaries.flanksource.com/v1",
          "kind: Canary",
          "metadata: { name: packed }",
          "spec:",
          "  http:",
          "    - name: self",
          `      url: ${server.address}/api/_health`,
          "",
        ].join("\n"),
      );
      const report = execFileSync(command, ["run", document, "-o", "json"], { encoding: "utf8" });
      expect(report).toContain('"pass": true');
      const applied = execFileSync(
        command,
        ["apply", "-f", document, "--data-dir", server.dataDir],
        { encoding: "utf8" },
      );
      expect(applied).toContain("default/packed created");

      // Scripts and differences have threads, whose files nothing imports.
      const evaluated = execFileSync(command, ["eval", "--language", "javascript", "1 + 1"], {
        encoding: "utf8",
      });
      expect(JSON.parse(evaluated)).toEqual({ result: 2 });
      const scraped = join(target, "scraped.yaml");
      writeFileSync(scraped, "name: shop\nreplicas: 1\n");
      const scraper = join(target, "scraper.yaml");
      writeFileSync(
        scraper,
        [
          "apiVersion: configs.flanksource.com/v1",
          "kind: ScrapeConfig",
          "metadata: { name: packed }",
          "spec:",
          '  schedule: "@every 1h"',
          "  file:",
          `    - { type: App, id: $.name, name: $.name, paths: ["${scraped}"] }`,
          "",
        ].join("\n"),
      );
      execFileSync(command, ["apply", "-f", scraper, "--data-dir", server.dataDir]);
      const { token } = await readAccess(server.dataDir);
      const headers = { "x-session-token": token };
      const rows = async (path: string) => {
        const reply = await fetch(`${server.address}/api/db/${path}`, { headers });
        return (await reply.json()) as Record<string, unknown>[];
      };
      await expect.poll(() => rows("configs?type=eq.App&select=name")).toEqual([{ name: "shop" }]);
      writeFileSync(scraped, "name: shop\nreplicas: 2\n");
      const [kept] = await rows("config_scrapers?name=eq.packed&select=id");
      await fetch(`${server.address}/api/catalog/scrapers/${String(kept?.id)}/run`, {
        method: "POST",
        headers,
      });
      await expect
        .poll(() => rows("config_changes?change_type=eq.diff&select=summary,patches"))
        .toEqual([{ summary: expect.any(String), patches: { replicas: 2 } }]);
    } finally {
      await server.stop();
    }
  },
);
