import {
  Container,
  Cylinder,
  Folder,
  Globe,
  HeartPulse,
  Network,
  Plug,
  Radio,
  SquareTerminal,
} from "lucide-react";
import type { ComponentType } from "react";
import type { IconMark } from "@mainstay/ui/Icon.tsx";

/** Marks of the check types; others are drawn as their first letter. */
export const checkTypeMarks: Readonly<Record<string, ComponentType<IconMark>>> = {
  http: Globe,
  tcp: Plug,
  dns: Network,
  icmp: Radio,
  exec: SquareTerminal,
  postgres: Cylinder,
  mysql: Cylinder,
  redis: Cylinder,
  folder: Folder,
  heartbeat: HeartPulse,
  kubernetes: Container,
};
