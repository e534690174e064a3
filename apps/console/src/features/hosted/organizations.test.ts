// @vitest-environment happy-dom
import { beforeEach, expect, test } from "vitest";
import {
  chooseOrganization,
  chosenOrganization,
  currentOrganization,
  listedOrganizations,
} from "./organizations.ts";

test.each<[string, Record<string, unknown>, unknown]>([
  ["no list", {}, undefined],
  ["what is no list", { organizations: "acme" }, undefined],
  ["an empty list", { organizations: [] }, []],
  [
    "ids",
    { organizations: ["b", "a"] },
    [
      { id: "a", name: "a" },
      { id: "b", name: "b" },
    ],
  ],
  [
    "objects",
    {
      organizations: [
        { id: "b", name: "Beta", backend_url: "https://b" },
        { id: "a", slug: "acme" },
      ],
    },
    [
      { id: "a", name: "acme" },
      { id: "b", name: "Beta", backendUrl: "https://b" },
    ],
  ],
  [
    "metadata",
    { organizations: [{ id: "b", name: "Beta", public_metadata: { backend_url: "https://b" } }] },
    [{ id: "b", name: "Beta", backendUrl: "https://b" }],
  ],
  ["what is none", { organizations: [null, 7, {}, { name: "x" }, ["a"], { id: "" }] }, []],
  ["the same twice", { organizations: ["a", "a"] }, [{ id: "a", name: "a" }]],
])("%s in the claims", (_what, claims, found) => {
  expect(listedOrganizations(claims)).toEqual(found);
});

test.each<[string, Record<string, unknown>, unknown]>([
  ["none", { organizations: ["a"] }, undefined],
  ["one that is not listed", { org_id: "a", org_name: "Acme" }, { id: "a", name: "Acme" }],
  ["the short form", { o: { id: "a", slg: "acme" } }, { id: "a", name: "acme" }],
  [
    "a listed one",
    { org_id: "a", organizations: [{ id: "a", name: "Acme" }] },
    { id: "a", name: "Acme" },
  ],
])("the token is for %s", (_what, claims, found) => {
  expect(currentOrganization(claims)).toEqual(found);
});

beforeEach(() => {
  sessionStorage.clear();
  localStorage.clear();
});

test("this window's choice counts before the one made last", () => {
  expect(chosenOrganization()).toBeUndefined();
  chooseOrganization("a");
  localStorage.setItem("mainstay.organization", "b");
  expect(chosenOrganization()).toBe("a");
  sessionStorage.clear();
  expect(chosenOrganization()).toBe("b");
  chooseOrganization(null);
  expect(chosenOrganization()).toBeUndefined();
});
