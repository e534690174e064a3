import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  areInstalled,
  type MonitoringServer,
  startAlertmanager,
} from "@mainstay/testkit/servers/index.ts";
import { closeAll, serve } from "#platform/outbound/testing/serve.ts";
import { itSurvivesAnyApi } from "../testing/hostile-api.ts";
import { tryCheck } from "../testing/try-check.ts";
import { alertmanager, fullName } from "./alertmanager.ts";

/** Against a real Alertmanager, to which the test posts alerts. */

afterEach(closeAll);

const login = { username: "ann", password: "sesame secret" };
const hash = "$2b$05$abcdefghijklmnopqrstuu2DrNMb8fKhYfoIOkp87AGvfRzelaVl2";

const alerts = [
  {
    labels: { alertname: "DiskFull", severity: "critical", node: "a" },
    annotations: { summary: "no room", message: "the disk of a is full" },
  },
  {
    labels: {
      alertname: "PodDown",
      severity: "warning",
      namespace: "shop",
      pod: "web-1",
      container: "web",
    },
    annotations: { description: "web is gone" },
  },
  { labels: { alertname: "Watchdog", severity: "none" } },
];

interface Alert {
  name: string;
}

describe.skipIf(!areInstalled("prometheus-alertmanager"))("a real one", () => {
  let server: MonitoringServer | undefined;
  beforeAll(async () => {
    server = await startAlertmanager({ login: { ...login, hash } });
    const basic = Buffer.from(`${login.username}:${login.password}`).toString("base64");
    const posted = await fetch(`http://127.0.0.1:${server?.port}/api/v2/alerts`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Basic ${basic}` },
      body: JSON.stringify(alerts),
    });
    expect(posted.status).toBe(200);
  });
  afterAll(() => server?.stop());
  const run = (spec: object = {}) =>
    tryCheck(alertmanager, { url: `http://127.0.0.1:${server?.port}`, ...login, ...spec });
  const named = async (spec: object) => {
    const outcome = await run(spec);
    expect(outcome.pass).toBe(true);
    return ((outcome.details?.alerts ?? []) as Alert[]).map(({ name }) => name).toSorted();
  };

  test("all of them, as scripts see them", async () => {
    const outcome = await run();
    expect(outcome).toMatchObject({ pass: true, details: { count: 3 } });
    const { results } = (outcome.data?.() ?? {}) as unknown as { results: { alerts: Alert[] } };
    const found = Object.fromEntries(results.alerts.map((alert) => [alert.name, alert]));
    expect(found).toEqual({
      "DiskFull/a": {
        ...alerts[0],
        name: "DiskFull/a",
        message: "the disk of a is full",
        fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
      },
      "PodDown/shop/web-1/web": expect.objectContaining({ message: "web is gone" }) as object,
      Watchdog: expect.objectContaining({ message: "", annotations: {} }) as object,
    });
  });

  test.each<[object, string[]]>([
    [{ alerts: ["Disk.*"] }, ["DiskFull/a"]],
    [{ alerts: ["Disk.*", "Watch.*"] }, ["DiskFull/a", "Watchdog"]],
    [{ alerts: "Disk.*\nWatch.*" }, ["DiskFull/a", "Watchdog"]],
    [{ filters: { severity: "critical|none" } }, ["DiskFull/a", "Watchdog"]],
    [{ filters: "severity=warning, namespace=~sh.*" }, ["PodDown/shop/web-1/web"]],
    [{ exclude_filters: { severity: "none" } }, ["DiskFull/a", "PodDown/shop/web-1/web"]],
    [{ ignore: ["Watchdog", "Pod.*"] }, ["DiskFull/a"]],
    [{ alerts: ["Disk"] }, []],
    [{ filters: { severity: 'x"y\\z\n' } }, []],
  ])("%j finds %j", async (spec, names) => {
    expect(await named(spec)).toEqual(names);
  });

  test("as the form editor writes it", async () => {
    const outcome = await tryCheck(alertmanager, {
      host: `http://127.0.0.1:${server?.port}/`,
      basic: true,
      authentication: login,
      alerts: "DiskFull",
      ignore: "",
    });
    expect(outcome).toMatchObject({ pass: true, message: "DiskFull/a" });
  });

  test("filters that cannot be meant", async () => {
    const outcome = await run({ alerts: ["("] });
    expect(outcome).toMatchObject({ pass: false, invalid: true });
    expect(outcome.error).toContain("Alertmanager cannot read the filters: ");
  });

  test("wrong credentials", async () => {
    const wrong = await run({ password: "another secret" });
    expect(wrong.error).toMatch(/^Alertmanager did not accept the credentials \(401\)/);
    expect(JSON.stringify(wrong)).not.toContain("another secret");
  });
});

test.each([
  [{ alertname: "A" }, "A"],
  [{ alertname: "A", namespace: "n", node: "o", deployment: "d", pod: "p" }, "A/n/o/d"],
  [{ alertname: "A", container: "c", job: "c" }, "A"],
  [{}, ""],
] as const)("%j is called %s", (labels, name) => {
  expect(fullName(labels)).toBe(name);
});

describe("stand-ins", () => {
  test("alerts that are no alerts", async () => {
    const { url } = await serve((_request, response) =>
      response.end('[1,null,{"labels":{"alertname":5},"annotations":[]}]'),
    );
    expect(await tryCheck(alertmanager, { url })).toMatchObject({ pass: true, message: ", , 5" });
  });

  itSurvivesAnyApi("Alertmanager", login.password, (url, options) =>
    tryCheck(alertmanager, { url, ...login }, options),
  );
});
