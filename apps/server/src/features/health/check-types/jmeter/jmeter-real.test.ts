import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { isWhole } from "@mainstay/testkit/sample.ts";
import { areInstalled, type Listening, listenHttp } from "@mainstay/testkit/servers/index.ts";
import { tryCheck } from "../testing/try-check.ts";
import { jmeter } from "./jmeter.ts";

// Takes long: every plan starts a Java of its own.

const timeoutMs = 120_000;

const text = (name: string, value: string) => `<stringProp name="${name}">${value}</stringProp>`;

const sampler = (path: string) => `
<HTTPSamplerProxy guiclass="HttpTestSampleGui" testclass="HTTPSamplerProxy" testname="Front page" enabled="true">
  <elementProp name="HTTPsampler.Arguments" elementType="Arguments"><collectionProp name="Arguments.arguments"/></elementProp>
  ${text("HTTPSampler.domain", "127.0.0.1")}${text("HTTPSampler.port", "${__P(port)}")}
  ${text("HTTPSampler.path", path)}${text("HTTPSampler.method", "GET")}
</HTTPSamplerProxy>`;

const wants = (word: string) => `
<ResponseAssertion guiclass="AssertionGui" testclass="ResponseAssertion" testname="Wants" enabled="true">
  <collectionProp name="Asserion.test_strings">${text("1", word)}</collectionProp>
  ${text("Assertion.test_field", "Assertion.response_data")}<boolProp name="Assertion.assume_success">false</boolProp>
  <intProp name="Assertion.test_type">2</intProp>
</ResponseAssertion><hashTree/>`;

/** A program of the plan's own, which outlives it when nobody ends it. */
const child = (marker: string) => `
<SystemSampler guiclass="SystemSamplerGui" testclass="SystemSampler" testname="Program" enabled="true">
  <elementProp name="SystemSampler.arguments" elementType="Arguments"><collectionProp name="Arguments.arguments">
    <elementProp name="" elementType="Argument">${text("Argument.name", "")}${text("Argument.value", marker)}</elementProp>
  </collectionProp></elementProp>
  <elementProp name="SystemSampler.environment" elementType="Arguments"><collectionProp name="Arguments.arguments"/></elementProp>
  ${text("SystemSampler.command", "/usr/bin/sleep")}<boolProp name="SystemSampler.checkReturnCode">false</boolProp>
</SystemSampler><hashTree/>`;

const plan = (parts: string, loops = 2) => `<?xml version="1.0" encoding="UTF-8"?>
<jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3"><hashTree>
<TestPlan guiclass="TestPlanGui" testclass="TestPlan" testname="Plan" enabled="true">
  <elementProp name="TestPlan.user_defined_variables" elementType="Arguments"><collectionProp name="Arguments.arguments"/></elementProp>
</TestPlan><hashTree>
<ThreadGroup guiclass="ThreadGroupGui" testclass="ThreadGroup" testname="Users" enabled="true">
  ${text("ThreadGroup.on_sample_error", "continue")}
  <elementProp name="ThreadGroup.main_controller" elementType="LoopController">
    <boolProp name="LoopController.continue_forever">false</boolProp>${text("LoopController.loops", String(loops))}
  </elementProp>
  ${text("ThreadGroup.num_threads", "1")}${text("ThreadGroup.ramp_time", "0")}
</ThreadGroup><hashTree>${parts}</hashTree></hashTree></hashTree></jmeterTestPlan>`;

/** The command lines of all that runs on this machine. */
const commandLines = () =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      } catch {
        // It has ended since.
        return "";
      }
    });

describe.skipIf(!areInstalled("jmeter"))(
  "the real JMeter, on plans against a web server here",
  () => {
    let site: Listening;
    const paths: string[] = [];
    let running: string[] = [];
    beforeAll(async () => {
      site = await listenHttp((request, response) => {
        paths.push(request.url ?? "");
        running = commandLines();
        response.end("hello from here");
      });
    });
    afterAll(() => site.close());
    const run = (jmx: string, more: object = {}) =>
      tryCheck(jmeter, { jmx, properties: [`port=${site.port}`], ...more }, { timeoutMs });

    test("passes, with properties that no argument of a process shows", async () => {
      const outcome = await run(
        plan(
          `${sampler("/${__P(word)}/${__groovy(System.getProperty('java.word'))}")}<hashTree>${wants("hello")}</hashTree>`,
        ),
        {
          properties: [`port=${site.port}`, "word=open-sesame-1"],
          systemProperties: ["java.word=open-sesame-2"],
        },
      );
      expect(outcome).toMatchObject({ pass: true, details: { samples: 2, failed: 0 } });
      expect(outcome.message).toMatch(/^2 samples took [\d.]+ (ms|s) together$/);
      expect(paths).toEqual(Array(2).fill("/open-sesame-1/open-sesame-2"));
      const java = running.filter((line) => line.includes("ApacheJMeter.jar"));
      expect(java).not.toEqual([]);
      expect(java.join("\n")).toContain("plan.jmx");
      expect(running.join("\n")).not.toContain("open-sesame");
    });

    test("fails where an assertion does", async () => {
      const outcome = await run(plan(`${sampler("/")}<hashTree>${wants("goodbye")}</hashTree>`));
      expect(outcome).toMatchObject({
        pass: false,
        details: { samples: 2, failed: 2 },
        error:
          "2 of 2 samples failed: Front page: 200: Test failed: text expected to contain /goodbye/",
      });
    });

    // JMeter takes seconds to start: what our side tells from its results alone is tried by the stand-in, too (jmeter.test.ts).
    const whole = isWhole ? test : () => {};
    whole("fails where nobody answers", async () => {
      const outcome = await run(plan(`${sampler("/")}<hashTree/>`), { properties: ["port=1"] });
      expect(outcome.pass).toBe(false);
      expect(outcome.error).toMatch(/^2 of 2 samples failed: Front page: Non HTTP .*refused/);
    });

    whole("fails where the samples took longer than they may", async () => {
      const slow = `${sampler("/")}<hashTree/>${child("0.2")}`;
      const outcome = await run(plan(slow), { responseDuration: "300ms" });
      expect(outcome).toMatchObject({ pass: false, details: { samples: 4, failed: 0 } });
      expect(outcome.error).toMatch(/^the samples took .* together, at most 300 ms wanted$/);
    });

    whole("says why a plan is broken", async () => {
      const outcome = await run(plan("<NoSuchSampler/><hashTree/>"));
      expect(outcome.pass).toBe(false);
      expect(outcome.error).toMatch(
        /^jmeter (ended with code 1|wrote no log): Error in NonGUIDriver[^]*NoSuchSampler/,
      );
      expect(outcome.error).not.toMatch(/\n\s+at |Debugging/);
    });

    test("ends it, and what it started, when its time is over", async () => {
      const marker = "86399.4711";
      const ours = () =>
        commandLines().filter((line) => line.includes(marker) || line.includes("plan.jmx"));
      const over = new AbortController();
      const outcome = tryCheck(
        jmeter,
        { jmx: plan(child(marker), 1) },
        { timeoutMs, signal: over.signal },
      );
      await vi.waitFor(() => expect(ours().join("\n")).toContain(`sleep ${marker}`), {
        timeout: timeoutMs,
        interval: 100,
      });
      expect(ours().join("\n")).toContain("ApacheJMeter.jar");
      over.abort(new DOMException("over", "TimeoutError"));
      expect(await outcome).toMatchObject({
        pass: false,
        error: `timed out after ${timeoutMs} ms`,
      });
      expect(ours()).toEqual([]);
    });
  },
);
