import { describe, expect, test } from "vitest";
import { awsHeaders, signAws } from "./sign-aws.ts";

const credentials = {
  accessKey: "AKIDEXAMPLE",
  secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
};
const when = { "x-amz-date": "20150830T123600Z" };
const base = {
  method: "GET",
  credentials,
  region: "us-east-1",
  service: "service",
  now: new Date("2015-08-30T12:36:00Z"),
};

/** The cases of AWS's own suite for Signature Version 4, by their names there. */
describe("what AWS published", () => {
  const form = "Param1=value1";
  test.each<[string, string, Partial<Parameters<typeof signAws>[0]>, string]>([
    ["get-vanilla", "/", {}, "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"],
    [
      "get-vanilla-query-order-key-case",
      "/?Param2=value2&Param1=value1",
      {},
      "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    ],
    [
      "get-slashes",
      "//example//",
      {},
      "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84",
    ],
    [
      "get-unreserved",
      "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
      {},
      "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
    ],
    [
      "post-vanilla",
      "/",
      { method: "POST" },
      "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
    ],
    [
      "post-x-www-form-urlencoded",
      "/",
      {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: form,
      },
      "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
    ],
    [
      "get-header-value-trim",
      "/",
      { headers: { "my-header1": " value1", "my-header2": ' "a   b   c"' } },
      "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
    ],
  ])("%s", (_name, path, more, signature) => {
    const url = new URL(`https://example.amazonaws.com${path}`);
    const headers = { host: "example.amazonaws.com", ...when, ...more.headers };
    const signed = signAws({ ...base, ...more, url, headers });
    expect(signed).toContain("Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, ");
    expect(signed.split("Signature=")[1]).toBe(signature);
  });

  test("the documentation's example of IAM", () => {
    const signed = signAws({
      ...base,
      service: "iam",
      url: new URL("https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08"),
      headers: {
        "content-type": "application/x-www-form-urlencoded; charset=utf-8",
        host: "iam.amazonaws.com",
        ...when,
      },
    });
    expect(signed.split("Signature=")[1]).toBe(
      "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7",
    );
  });

  test("the documentation's example of S3", () => {
    const signed = signAws({
      method: "GET",
      credentials: {
        accessKey: "AKIAIOSFODNN7EXAMPLE",
        secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
      },
      region: "us-east-1",
      service: "s3",
      now: new Date("2013-05-24T00:00:00Z"),
      url: new URL("https://examplebucket.s3.amazonaws.com/test.txt"),
      headers: {
        host: "examplebucket.s3.amazonaws.com",
        range: "bytes=0-9",
        "x-amz-content-sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "x-amz-date": "20130524T000000Z",
      },
    });
    expect(signed.split("Signature=")[1]).toBe(
      "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    );
  });
});

test("a request is signed with its time, its body and the session's token", () => {
  const headers = awsHeaders({
    ...base,
    method: "POST",
    url: new URL("https://aps.example:8443/api?b=2&a=1"),
    headers: { "content-type": "application/json", "user-agent": "mainstay" },
    body: "{}",
    credentials: { ...credentials, sessionToken: "lent" },
  });
  expect(headers).toMatchObject({ ...when, "x-amz-security-token": "lent" });
  expect(headers["x-amz-content-sha256"]).toBe(
    "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
  );
  expect(headers.authorization).toContain(
    "SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token, ",
  );
});
