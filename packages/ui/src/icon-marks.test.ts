import { expect, test } from "vitest";
import { findMark, indexMarks, markNames, partOf } from "./icon-marks.ts";

test.each([
  ["kubernetes", ["k8s"]],
  ["AWS::EC2::Instance", ["awsec2instance", "instance", "awsec2", "aws"]],
  ["Kubernetes::StatefulSet", ["k8sstatefulset", "statefulset", "k8s"]],
  ["sql_server", ["sqlserver"]],
  ["", []],
  ["::", []],
])("%s may be filed as %j", (type, names) => {
  expect(markNames(type)).toEqual(names);
});

const marks = indexMarks({
  coloured: ["aws", "k8s-statefulset", "k8s"],
  inked: ["aws-s3"],
  addressOf: (mark) => `/marks/${mark}.svg`,
});

test.each([
  ["AWS::S3", { address: "/marks/aws-s3.svg", isInked: true }],
  ["s3", { address: "/marks/aws-s3.svg", isInked: true }],
  ["AWS::Unheard", { address: "/marks/aws.svg", isInked: false }],
  ["Kubernetes::StatefulSet", { address: "/marks/k8s-statefulset.svg", isInked: false }],
  ["Kubernetes::Unheard", { address: "/marks/k8s.svg", isInked: false }],
  ["unheard of", undefined],
  ["../../etc", undefined],
])("%s", (type, mark) => {
  expect(findMark(marks, type)).toEqual(mark);
});

test.each([
  ["aws-s3", "aws"],
  ["azure", "azure"],
  ["gcpBucket", "gcp"],
  ["k8s-pod", "other"],
  ["s3-aws", "other"],
])("the index has %s in its part %s", (name, part) => {
  expect(partOf(name)).toBe(part);
});
