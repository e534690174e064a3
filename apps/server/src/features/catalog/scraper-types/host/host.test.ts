import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { scraperSpecs } from "@mainstay/contract";
import {
  areInstalled,
  makeCertificates,
  type SshServer,
  startSshd,
} from "@mainstay/testkit/servers/index.ts";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createConnector } from "#platform/outbound/connector.ts";
import { createPrograms } from "#platform/outbound/programs.ts";
import { createLog } from "#platform/log.ts";
import { testConfig } from "../../../../testing/app.ts";
import type { ScrapedItem } from "../../scraping/scraped.ts";
import { hostScraper } from "./host.ts";
import { itemsOf } from "./host-items.ts";
import { newMark, readSurvey, surveyScript } from "./survey.ts";

const now = new Date("2026-06-15T12:00:00Z");
const machine = { id: "host/1", name: "one" };

async function scraped(spec: object): Promise<ScrapedItem[]> {
  const items: ScrapedItem[] = [];
  const input = {
    spec: scraperSpecs.host.parse(spec),
    signal: AbortSignal.timeout(30_000),
    connector: createConnector({ programs: createPrograms(testConfig()) }),
    document: { name: "host", namespace: "default" },
    now,
    log: createLog("error"),
  };
  for await (const found of hostScraper.scrape(input as never))
    if (found.kind === "item") items.push(found.item);
  return items;
}

test("this machine, by its own words", async () => {
  const items = await scraped({ exclude: ["packages"] });
  const [itself] = items;
  expect(itself).toMatchObject({
    type: "Host::Machine",
    health: "healthy",
    parents: [],
    config: { kernel: expect.any(String) as string, cpus: expect.any(Number) as number },
  });
  expect(items.find(({ type, name }) => type === "Host::User" && name === "root")).toMatchObject({
    externalId: `${itself!.externalId}/user/root`,
    parents: [{ externalId: itself!.externalId }],
    tags: { host: itself!.name },
  });
  expect(items.some(({ type }) => type === "Host::Package")).toBe(false);
  // Nothing of it differs from one look to the next.
  const again = await scraped({ include: ["system", "users", "filesystems"] });
  expect(again.find(({ type }) => type === "Host::Machine")).toEqual(itself);
});

describe.skipIf(!areInstalled("sshd"))("over SSH", () => {
  let server: SshServer;
  beforeAll(async () => {
    const started = await startSshd();
    if (!started) throw new Error("sshd did not start");
    server = started;
  });
  afterAll(() => server.stop());

  test("the same machine is the same item", async () => {
    const target = {
      host: "127.0.0.1",
      port: server.port,
      username: { value: server.username },
      privateKey: { value: server.key },
      include: ["system"],
    };
    const [there] = await scraped(target);
    const [itself] = await scraped({ include: ["system"] });
    expect(there!.externalId).toBe(itself!.externalId);
    await expect(scraped({ ...target, username: { value: "nobody-here" } })).rejects.toThrow(
      "did not let nobody-here sign in",
    );
  });
});

test("services are as systemd says", () => {
  const lines = [
    "Id=web.service",
    "Description=The shop",
    "LoadState=loaded",
    "ActiveState=active",
    "SubState=running",
    "UnitFileState=enabled",
    "FragmentPath=/etc/systemd/system/web.service",
    "Id=broken.service",
    "LoadState=loaded",
    "ActiveState=failed",
    "SubState=failed",
    "Id=gone.service",
    "LoadState=not-found",
    "ActiveState=inactive",
    "SubState=dead",
    "Id=once.service",
    "LoadState=loaded",
    "ActiveState=inactive",
    "SubState=dead",
  ];
  expect(
    itemsOf(machine, "services", lines, now).map(({ name, health, status }) => [
      name,
      health,
      status,
    ]),
  ).toEqual([
    ["web", "healthy", "active (running)"],
    ["broken", "unhealthy", "failed (failed)"],
    ["once", "unknown", "inactive (dead)"],
  ]);
});

test("ports are what the kernel says, with the program where it is known", () => {
  const lines = [
    "tcp 0100007F:1F90 0",
    "tcp6 00000000000000000000000000000000:0016 0",
    "tcp6 0000000000000000FFFF00000100007F:1F90 0",
    "udp 00000000:0035 0",
    'ss tcp LISTEN 0 128 [::]:22 [::]:* users:(("sshd",pid=1,fd=3))',
  ];
  expect(itemsOf(machine, "ports", lines, now).map(({ name, config }) => [name, config])).toEqual([
    ["8080/tcp", { port: 8080, protocol: "tcp", addresses: ["127.0.0.1"] }],
    ["22/tcp sshd", { port: 22, protocol: "tcp", addresses: ["::"], program: "sshd" }],
    ["53/udp", { port: 53, protocol: "udp", addresses: ["0.0.0.0"] }],
  ]);
});

test("packages of each kind, containers, file systems and networks", () => {
  expect(
    itemsOf(
      machine,
      "packages",
      [
        "deb\tbash\t5.2-1\tamd64\t7000\tGNU shell",
        "rpm\tcurl\t8.1-2\tx86_64\t9\tGets",
        "apk\tmusl\t1.2-r3\tx86_64\t\t",
      ],
      now,
    ).map(({ name, status }) => [name, status]),
  ).toEqual([
    ["bash", "5.2-1"],
    ["curl", "8.1-2"],
    ["musl", "1.2-r3"],
  ]);
  const containers = [
    "docker\tabc\tweb\tnginx:1\trunning\tUp 2 hours (healthy)\t80/tcp",
    "docker\tdef\tjob\tjob:2\texited\tExited (0) 2 hours ago\t",
    "podman\tghi\tbad\tbad:3\texited\tExited (137) 1 hour ago\t",
  ];
  expect(
    itemsOf(machine, "containers", containers, now).map(({ name, health }) => [name, health]),
  ).toEqual([
    ["web", "healthy"],
    ["job", "unknown"],
    ["bad", "unhealthy"],
  ]);
  const disks = [
    "/dev/sda1 ext4 1000 500 500 50% /",
    "/dev/sdb1 xfs 1000 960 40 96% /var data",
    "tmpfs tmpfs 10 9 1 90% /run",
  ];
  expect(
    itemsOf(machine, "filesystems", disks, now).map(({ name, health }) => [name, health]),
  ).toEqual([
    ["/", "healthy"],
    ["/var data", "unhealthy"],
  ]);
  expect(
    itemsOf(
      machine,
      "networks",
      ["link eth0 aa:bb up", "addr eth0 10.0.0.2/24", "addr eth0 fe80::1/64"],
      now,
    ),
  ).toMatchObject([
    {
      name: "eth0",
      health: "healthy",
      config: { mac: "aa:bb", addresses: ["10.0.0.2/24", "fe80::1/64"] },
    },
  ]);
});

test.skipIf(!areInstalled("openssl"))("certificates say when they end", () => {
  const made = makeCertificates()!;
  onTestFinished(() => made.remove());
  const lines = [
    "file /etc/nginx/shop.pem",
    ...made.cert.trim().split("\n"),
    "file /etc/nginx/broken.pem",
    "-----BEGIN CERTIFICATE-----",
    "no",
    "-----END CERTIFICATE-----",
  ];
  const far = new Date("2200-01-01T00:00:00Z");
  expect(
    itemsOf(machine, "certificates", lines, new Date()).map(({ health }) => health),
  ).toHaveLength(1);
  expect(itemsOf(machine, "certificates", lines, far)).toMatchObject([
    { health: "unhealthy", status: "expired" },
  ]);
});

test("a survey that broke off is none, and no path of a document is a command", () => {
  const mark = newMark();
  expect(() => readSurvey(`${mark}system\nkernel=1\n`, mark)).toThrow("broke off");
  expect(surveyScript([], { places: ["/a'; touch /tmp/x; '"], mark })).toContain(
    `CERTIFICATE_PATHS='/a'\\''; touch /tmp/x; '\\'''`,
  );
});

/** A folder for one test. */
async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), "host-"));
  // Scripts run as somebody else.
  await chmod(made, 0o777);
  onTestFinished(() => rm(made, { recursive: true }));
  return made;
}

test("a place of certificates is a place and nothing else, whatever it holds", async () => {
  const place = await folder();
  const made = makeCertificates();
  if (!made) throw new Error("openssl is not here");
  onTestFinished(() => made.remove());
  await mkdir(join(place, "some place"));
  await writeFile(join(place, "some place", "a.pem"), made.ca);
  // What stands in a file is no section of the survey.
  const own = "-----BEGIN CERTIFICATE-----\n@@mainstay users\nx:x:1:1::/:/bin/sh\n";
  await writeFile(join(place, "b.pem"), `${own}-----END CERTIFICATE-----\n`);
  const items = await scraped({
    include: ["certificates", "users"],
    certificatePaths: [`${place} -delete`, `${place}/*place`, place],
  });
  expect(await readdir(place)).toEqual(["b.pem", "some place"]);
  const certificates = items.filter(({ type }) => type === "Host::Certificate");
  expect(certificates).toHaveLength(1);
  expect(items.some(({ type, name }) => type === "Host::User" && name === "root")).toBe(true);
  expect(items.some(({ type, name }) => type === "Host::User" && name === "x")).toBe(false);
});

test("what a program does not tell is not taken for gone", async () => {
  const programs = await folder();
  const say = async (name: string, text: string) => {
    await writeFile(join(programs, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  };
  await say("docker", "echo 'Cannot connect to the Docker daemon' >&2; exit 1");
  await say("podman", "printf 'podman\\tc1\\tweb\\tnginx\\trunning\\tUp 2 hours\\t\\n'");
  await say("dpkg-query", "printf 'ii \\tbash\\t5\\tamd64\\t9\\tShell\\n'; exit 2");
  await say("df", "printf 'Filesystem\\n/dev/vda ext4 100 10 90 10%% /\\n'");
  const mark = newMark();
  const survey = async () => {
    const script = surveyScript(["packages", "containers", "filesystems"], { places: [], mark });
    const { stdout } = await promisify(execFile)("/bin/sh", ["-c", script], {
      env: { PATH: `${programs}:${process.env.PATH}` },
    });
    return readSurvey(stdout, mark);
  };
  const { lines, unread } = await survey();
  expect([...unread]).toEqual(["packages", "containers"]);
  expect(lines.get("packages")).toEqual(["deb\tbash\t5\tamd64\t9\tShell"]);
  expect(lines.get("containers")).toHaveLength(1);
  expect(lines.get("filesystems")).toHaveLength(1);
  await say("df", "exit 1");
  expect([...(await survey()).unread]).toEqual(["packages", "containers", "filesystems"]);
});
