import {
  Archive,
  DatabaseBackup,
  GitBranch,
  Webhook,
  GitPullRequest,
  InfinityIcon,
  TextSearch,
  Flame,
  BellRing,
  BookUser,
  Box,
  Boxes,
  CalendarClock,
  ClipboardCheck,
  Container,
  Gauge,
  Leaf,
  Library,
  ListOrdered,
  PackageOpen,
  PackageCheck,
  Scale,
  ScrollText,
  Server,
  Ship,
} from "lucide-react";
import type { ComponentType } from "react";
import type { SupportedCheckType } from "@mainstay/contract/canary/canary-spec.ts";
import type { IconMark } from "@mainstay/ui/Icon.tsx";
import { frequentMarks } from "./frequent-marks.ts";

/** A mark for each check type, or null where the library has that of the product; the compiler asks for the next one. */
const supported = {
  ...frequentMarks,
  multistep: ListOrdered,
  domain: CalendarClock,
  postgres: null,
  mysql: null,
  mssql: null,
  redis: null,
  s3: PackageOpen,
  restic: Archive,
  databaseBackup: DatabaseBackup,
  awsConfig: ScrollText,
  awsConfigRule: Scale,
  cloudwatch: BellRing,
  ec2: Server,
  kubernetes: Container,
  jmeter: Gauge,
  catalog: Library,
  kubernetesResource: PackageCheck,
  pod: Box,
  namespace: Boxes,
  junit: ClipboardCheck,
  helm: Ship,
  ldap: BookUser,
  mongodb: Leaf,
  prometheus: Flame,
  alertmanager: BellRing,
  elasticsearch: TextSearch,
  opensearch: TextSearch,
  dynatrace: Gauge,
  azureDevops: InfinityIcon,
  gitProtocol: GitPullRequest,
  webhook: Webhook,
  github: GitBranch,
} satisfies Record<SupportedCheckType, ComponentType<IconMark> | null>;

/** By the type of a check. What is not here is drawn with a mark of the library, or as its first letter. */
export const checkTypeMarks: Readonly<Record<string, ComponentType<IconMark>>> = Object.fromEntries(
  Object.entries(supported).flatMap(([type, mark]) => (mark ? [[type, mark]] : [])),
);
