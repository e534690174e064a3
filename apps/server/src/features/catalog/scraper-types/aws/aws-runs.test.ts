import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "#platform/db/database.ts";
import { refuse } from "#platform/outbound/aws/testing/aws-server.ts";
import { testDatabase } from "../../../../testing/app.ts";
import { createDifferences } from "../../changes/differences.ts";
import { scrapeInto } from "../../testing/scrape-into.ts";
import { ec2Answer, region, type Shop, startShop } from "./testing/shop-account.ts";

/** What is stored of an account: the stand-in for Amazon answers, the database is real. */

const differences = createDifferences();
let db: Database;
let drop: () => Promise<void>;
let shop: Shop;
let id: string;
beforeAll(async () => {
  shop = await startShop();
  ({ db, drop } = await testDatabase());
  const row = await db.first<{ id: string }>(
    sql`insert into config_scrapers (name, spec) values ('amazon', '{}') returning id`,
  );
  id = row!.id;
});
afterAll(async () => {
  await differences.close();
  await drop();
  await shop.server.close();
});

const hour = 3600_000;
const scrape = (now: Date, more: object = {}) =>
  scrapeInto(
    db,
    id,
    { type: "aws", spec: shop.spec({ exclude: ["CloudTrail"], ...more }), now },
    { differences },
  );
const gone = () =>
  db.rows<{ type: string; delete_reason: string }>(
    sql`select type, delete_reason from config_items where deleted_at is not null order by type`,
  );

test("items stand under one another and are related; what may not be read is not gone", async () => {
  const before = new Date(Date.now() - 48 * hour);
  const first = await scrape(before);
  expect(first.errors).toEqual([]);
  const path = await db.rows<{ name: string }>(sql`
    select a.name from config_items i
     cross join lateral unnest(string_to_array(i.path, '.')) with ordinality p (id, place)
      join config_items a on a.id = p.id::uuid
     where i.external_id @> array['i-01'] order by p.place`);
  expect(path.map(({ name }) => name)).toEqual(["shop", region, "shop", "subnet-01"]);
  const related = await db.rows<{ relation: string; from: string; to: string }>(sql`
    select r.relation, f.name as "from", t.name as "to" from config_relationships r
      join config_items f on f.id = r.config_id join config_items t on t.id = r.related_id
     where r.deleted_at is null and 'web i-01' in (f.name, t.name) order by r.relation`);
  expect(related).toEqual([
    { relation: "InstanceProfile", from: "web i-01", to: "web" },
    { relation: "InstanceSecurityGroup", from: "web i-01", to: "web" },
    { relation: "InstanceVolume", from: "web i-01", to: "vol-01" },
    // Its parent.
    { relation: "hard", from: "subnet-01", to: "web i-01" },
  ]);

  // The databases may not be read any more, and the security group is really gone.
  shop.answers.DescribeDBInstances = () => refuse("AccessDenied", "no", 403);
  shop.answers.DescribeSecurityGroups = ({ action }) =>
    ec2Answer(action, { securityGroupInfo: [] });
  const second = await scrape(new Date());
  expect(second.errors).toEqual([expect.stringMatching(/RDS in eu-central-1: .*AccessDenied/)]);
  // The third machine was ended by itself.
  expect(await gone()).toEqual([
    { type: "AWS::EC2::Instance", delete_reason: "FROM_ATTRIBUTE" },
    { type: "AWS::EC2::SecurityGroup", delete_reason: "STALE" },
  ]);
  expect(second).toMatchObject({ added: 0, deleted: 1, isComplete: false });
});

test("an event finds what it names by a plain name", async () => {
  shop.answers.LookupEvents = ({ region: at }) => ({
    Events:
      at === region
        ? [
            {
              EventId: "e1",
              EventName: "ModifyDBInstance",
              EventTime: Math.floor(Date.now() / 1000),
              Username: "ann@example.org",
              Resources: [{ ResourceType: "AWS::RDS::DBInstance", ResourceName: "orders" }],
              CloudTrailEvent: "{}",
            },
          ]
        : [],
  });
  for (let times = 0; times < 2; times += 1)
    await scrape(new Date(), { exclude: [], include: ["CloudTrail"] });
  const changes = await db.rows(sql`
    select i.name, c.change_type, c.external_created_by, c.count from config_changes c
      join config_items i on i.id = c.config_id where c.source = 'CloudTrail'`);
  expect(changes).toEqual([
    {
      name: "orders",
      change_type: "ModifyDBInstance",
      external_created_by: "ann@example.org",
      count: 1,
    },
  ]);
});
