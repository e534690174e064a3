import { expect, test } from "vitest";
import { encodeFilter } from "./filter.ts";

/** By hand after RFC 4511, section 4.5.1. */
test.each([
  ["(objectClass=*)", "870b6f626a656374436c617373"],
  ["uid=anna", "a30b04037569640404616e6e61"],
  ["(uid>=a)", "a508040375696404 0161"],
  ["(uid<=a)", "a608040375696404 0161"],
  ["(uid~=a)", "a808040375696404 0161"],
  ["(cn=a*b*c)", "a40f0402636e3009800161810162820163"],
  ["(cn=*b*)", "a4090402636e3003810162"],
  ["(cn=\\2a\\28)", "a3080402636e04022a28"],
  ["(cn=)", "a3060402636e0400"],
  ["(!(uid=a))", "a20aa308040375696404 0161"],
  ["(&(uid=a)(|(uid=b)))", "a016a3080403756964040161a10aa308040375696404 0162"],
  ["(&)", "a000"],
  ["(cn:dn:2.5.13.5:=x)", "a914810832 2e352e31332e358202636e8301788401ff"],
  ["(:caseExactMatch:=x)", "a913810e6361736545786163744d61746368830178"],
])("%s", (text, bytes) => {
  expect(encodeFilter(text).toString("hex")).toBe(bytes.replaceAll(" ", ""));
});

test.each([
  ["", "the name of an attribute is missing"],
  ["(uid=a", "a ) is missing"],
  ["(uid=a))", "the filter has ended here"],
  ["(uid=a)(uid=b)", "the filter has ended here"],
  ["(=a)", "the name of an attribute is missing"],
  ["(uid)", "a = is missing"],
  ["(!)", "a filter is missing"],
  ["(!(a=b)(c=d))", "a ) is missing"],
  ["(a=\\zz)", "two hexadecimal digits"],
  ["(:=x)", "a name or a rule is missing"],
  ["(!".repeat(100), "nested"],
])("%s is none: %s", (text, why) => {
  expect(() => encodeFilter(text)).toThrow(why);
});
