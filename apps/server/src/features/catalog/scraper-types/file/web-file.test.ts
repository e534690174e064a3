import { afterEach, expect, test } from "vitest";
import { closeAll, serve } from "#platform/outbound/testing/serve.ts";
import { scrapeWith } from "../testing/scrape.ts";

afterEach(closeAll);

test("a file of the web, and one that cannot be had, without what its address was signed with", async () => {
  const { url } = await serve((request, response) => {
    const isThere = request.url?.startsWith("/here/shop.json") === true;
    response.writeHead(isThere ? 200 : 403).end(isThere ? '{"id":1}' : "no");
  });
  const told = await scrapeWith("file", { url: `${url}/here/shop.json?signature=sesame` });
  expect(told.contents).toMatchObject([
    { content: '{"id":1}', source: "shop.json", format: "json" },
  ]);
  await expect(scrapeWith("file", { url: `${url}/gone.json?signature=sesame` })).rejects.toThrow(
    new Error(`${url}/gone.json answered 403.`),
  );
});
