import { Folder, Globe, HeartPulse, Network, Plug, Radio, SquareTerminal } from "lucide-react";

/** The marks of the check types that most lists are made of; those of the others come when one is drawn. */
export const frequentMarks = {
  http: Globe,
  tcp: Plug,
  dns: Network,
  icmp: Radio,
  exec: SquareTerminal,
  folder: Folder,
  heartbeat: HeartPulse,
};
