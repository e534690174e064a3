import type { ConnectionType } from "../connection-type.ts";
import { insecureTls, password, required, text, url, username } from "../fields.ts";

const credentials = [username(required), password(required)] as const;

export const postgres: ConnectionType = {
  type: "postgres",
  label: "Postgres",
  help: "A PostgreSQL database.",
  kind: "connection",
  fields: [
    url("For example postgres://$(username):$(password)@db.example.com:5432/orders", required),
    ...credentials,
  ],
};

export const mysql: ConnectionType = {
  type: "mysql",
  label: "MySQL",
  help: "A MySQL or MariaDB database.",
  kind: "connection",
  fields: [
    url("For example mysql://$(username):$(password)@db.example.com:3306/orders", required),
    ...credentials,
  ],
};

export const sqlServer: ConnectionType = {
  type: "sql_server",
  label: "SQL Server",
  help: "A Microsoft SQL Server database.",
  kind: "connection",
  fields: [
    url(
      "For example sqlserver://$(username):$(password)@db.example.com:1433?database=orders",
      required,
    ),
    ...credentials,
  ],
};

export const mongo: ConnectionType = {
  type: "mongo",
  label: "Mongo",
  help: "A MongoDB server or replica set.",
  kind: "connection",
  fields: [
    url("For example mongodb://$(username):$(password)@db.example.com:27017/admin", required),
    ...credentials,
    insecureTls,
  ],
};

export const redis: ConnectionType = {
  type: "redis",
  label: "Redis",
  help: "A Redis server or one that speaks its protocol.",
  kind: "connection",
  fields: [
    url("For example cache.example.com:6379", required),
    username(),
    password(),
    text("properties.db", "Database", { help: "Its number.", default: "0", ...required }),
    insecureTls,
  ],
};

export const elasticsearch: ConnectionType = {
  type: "elasticsearch",
  label: "Elasticsearch",
  help: "An Elasticsearch cluster.",
  kind: "connection",
  fields: [
    url("For example https://search.example.com:9200", required),
    ...credentials,
    insecureTls,
  ],
};

export const opensearch: ConnectionType = {
  ...elasticsearch,
  type: "opensearch",
  label: "OpenSearch",
  help: "An OpenSearch cluster.",
  hidden: true,
};

export const databases = [
  postgres,
  mysql,
  sqlServer,
  mongo,
  redis,
  elasticsearch,
  opensearch,
] as const;
