import {
  Archive,
  DatabaseBackup,
  BellRing,
  BookUser,
  Box,
  Boxes,
  ClipboardCheck,
  Container,
  Cylinder,
  Folder,
  Gauge,
  Globe,
  HeartPulse,
  Leaf,
  Library,
  Network,
  PackageOpen,
  PackageCheck,
  Plug,
  Radio,
  Scale,
  ScrollText,
  Server,
  Ship,
  SquareTerminal,
} from "lucide-react";
import type { ComponentType } from "react";
import type { SupportedCheckType } from "@mainstay/contract/canary/canary-spec.ts";
import type { IconMark } from "@mainstay/ui/Icon.tsx";

/** A mark for each check type; the compiler asks for the next one. */
const supported = {
  http: Globe,
  tcp: Plug,
  dns: Network,
  icmp: Radio,
  exec: SquareTerminal,
  postgres: Cylinder,
  mysql: Cylinder,
  mssql: Cylinder,
  redis: Cylinder,
  folder: Folder,
  s3: PackageOpen,
  restic: Archive,
  databaseBackup: DatabaseBackup,
  heartbeat: HeartPulse,
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
} satisfies Record<SupportedCheckType, ComponentType<IconMark>>;

/** By the type of a check. One that agents of other makes send, and that is not here, is drawn as its first letter. */
export const checkTypeMarks: Readonly<Record<string, ComponentType<IconMark>>> = {
  ...supported,
};
