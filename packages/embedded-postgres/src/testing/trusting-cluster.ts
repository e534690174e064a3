import { spawnSync } from "node:child_process";
import { chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { locateBinaries } from "../binaries.ts";
import { cleanEnv } from "../locked-command.ts";
import { databaseOwner } from "../owner.ts";

const OBJECTS = `
create role mainstay_data_5 nologin;
create role mainstay_data_5_write nologin;
comment on role mainstay_data_5 is 'as before';
create role intruder superuser login;
create extension pg_trgm;
create extension hstore;
create schema pgboss;
create type pgboss.job_state as enum ('created', 'done');
create domain short as text check (length(value) < 10);
create type pair as (a int, b text);
create type span as range (subtype = int);
create table people (id int generated always as identity primary key, name text not null, nick short);
create table counted (n serial, at timestamptz not null default now()) partition by range (at);
create table counted_default partition of counted default;
create table pgboss.job (name text, state pgboss.job_state not null default 'created');
create sequence numbers;
create view names as select name from people;
create materialized view kept_names as select name from people;
create statistics people_names on id, name from people;
create function shout(text) returns text language sql as 'select upper($1)';
create procedure pgboss.nothing() language sql as '';
create aggregate total(int) (sfunc = int4pl, stype = int, initcond = '0');
insert into people (name) values ('Ada'), ('Grace');
insert into counted default values;
insert into pgboss.job values ('mail');
refresh materialized view kept_names;
`.trim();

/** A data directory as it was left by a version that let everybody in, with rows and one object of every kind. */
export function makeTrustingCluster(dataDir: string, uid?: number): void {
  mkdirSync(dataDir, { mode: 0o700 });
  const owner =
    uid === undefined ? databaseOwner(join(dataDir, "postgres-18")) : { name: "", uid, gid: uid };
  if (owner) chownSync(dataDir, owner.uid, owner.gid);
  const { bin } = locateBinaries(owner);
  const cluster = join(dataDir, "postgres-18");
  const run = (program: string, args: string[], input = "") => {
    const as = owner && { uid: owner.uid, gid: owner.gid };
    const ended = spawnSync(join(bin, program), args, { ...as, cwd: "/", env: cleanEnv, input });
    if (ended.status !== 0) throw new Error(`${program} failed: ${String(ended.stderr)}`);
  };
  run("initdb", ["-A", "trust", "-E", "UTF8", "--locale=C", "-U", "postgres", "-D", cluster]);
  run(
    "postgres",
    ["--single", "-D", cluster, "-c", "exit_on_error=on", "postgres"],
    `${OBJECTS}\n`,
  );
}

/** Lets everybody in again, as if nothing had been done. */
export function trustAgain(dataDir: string): void {
  writeFileSync(join(dataDir, "postgres-18/pg_hba.conf"), "local all all trust\n");
}
