// @vitest-environment happy-dom
import { cleanup, render } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { Icon } from "./Icon.tsx";
import { loadMark, type MarkPart, provideMarks } from "./icon-marks.ts";

afterEach(cleanup);

test("of the index those parts are asked for in which a mark may be, each once", async () => {
  const asked: MarkPart[] = [];
  const names: Record<MarkPart, string[]> = {
    aws: ["aws-ec2-instance"],
    azure: ["azure"],
    gcp: ["gcp"],
    other: ["k8s-pod", "instance"],
  };
  let answerAws = () => {};
  provideMarks(async (part) => {
    asked.push(part);
    if (part === "aws") await new Promise<void>((answer) => void (answerAws = answer));
    return { coloured: names[part], inked: [], addressOf: (mark) => `/marks/${mark}.svg` };
  });
  const drawn = (type: string) => render(<Icon name={type} />).container;
  const pod = drawn("Kubernetes::Pod");
  await vi.waitFor(() =>
    expect(pod.querySelector("img")?.getAttribute("src")).toBe("/marks/k8s-pod.svg"),
  );
  expect(asked).toEqual(["other"]);
  const machine = drawn("AWS::EC2::Instance");
  drawn("AWS::EC2::Instance");
  // What another part has of it is further away than what is still to come.
  await vi.waitFor(() => expect(asked).toEqual(["other", "aws"]));
  expect(machine.querySelector("img")).toBeNull();
  answerAws();
  await vi.waitFor(() =>
    expect(machine.querySelector("img")?.getAttribute("src")).toBe("/marks/aws-ec2-instance.svg"),
  );
  expect(asked).toEqual(["other", "aws"]);
  // A picture has marks of what nobody has seen yet.
  expect((await loadMark("Azure::VirtualMachine"))?.address).toBe("/marks/azure.svg");
  expect(asked).toEqual(["other", "aws", "azure"]);
});
