import type { DocumentFormat } from "../documents/document-format.ts";
import { codeInTopology } from "./code-in-spec.ts";
import { judgeTopology } from "./judge.ts";
import { componentsOf } from "./parts.ts";
import { mapTopologySecrets } from "./topology-secrets.ts";
import {
  defaultTopologySchedule,
  topologyApiVersion,
  topologyEnvelope,
  type TopologySpec,
  topologySpec,
} from "./topology-spec.ts";

export const topologyFormat: DocumentFormat<TopologySpec> = {
  kind: "Topology",
  name: "topology",
  plural: "topologies",
  apiVersions: [topologyApiVersion],
  resource: "topologies",
  envelope: topologyEnvelope,
  spec: topologySpec,
  codeIn: codeInTopology,
  mapSecrets: mapTopologySecrets,
  judge: judgeTopology,
  listed: {
    COMPONENTS: ({ spec }) => String(componentsOf(spec).length),
    SCHEDULE: ({ spec: { schedule } }) =>
      typeof schedule === "string" ? schedule : defaultTopologySchedule,
  },
};
