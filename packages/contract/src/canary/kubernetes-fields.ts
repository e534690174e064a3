import { z } from "zod";
import { openName } from "../documents/json-schema.ts";
import { secret, secretIn } from "../secrets/marks.ts";
import { envVar } from "./fields.ts";

const elsewhere = (what: string) =>
  z.looseObject({}).optional().describe(`${what} Not supported: use a kubeconfig with a token.`);

/** Which cluster is asked; the server's own when none is named. */
export const clusterShape = {
  connection: secretIn("address", z.string().max(2048))
    .optional()
    .describe("A stored connection to a cluster, connection://namespace/name."),
  kubeconfig: secret(envVar)
    .optional()
    .describe(
      "Kubeconfig of the cluster, as a text, or the path of one on this server; the server's own cluster when absent.",
    ),
  eks: elsewhere("A cluster of Amazon EKS."),
  gke: elsewhere("A cluster of Google GKE."),
  cnrm: elsewhere("A cluster of Google's Config Connector."),
} as const;

/** Which objects are meant; all that is given must hold. */
export const objectSelector = (what: string) =>
  z
    .looseObject({
      name: z
        .string()
        .max(1000)
        .optional()
        .describe("Name, or several after commas; * stands for anything, ! excludes."),
      labelSelector: z
        .string()
        .max(4096)
        .optional()
        .describe("Labels, as Kubernetes selects them: app=web,tier!=db."),
      fieldSelector: z
        .string()
        .max(4096)
        .optional()
        .describe("Fields, as Kubernetes selects them: status.phase=Running."),
      search: z
        .string()
        .max(4096)
        .optional()
        .describe("Words of a search: name=web* labels.app=shop."),
    })
    .describe(what);

/** An object of Kubernetes, as one writes it; some write it under Object. */
export const manifest = z
  .looseObject({
    apiVersion: z.string().max(253).optional().describe("For example v1 or apps/v1."),
    kind: z.string().max(253).optional().describe("For example Pod."),
    metadata: z.looseObject({}).optional().describe("Name, namespace, labels."),
  })
  .meta({ description: "An object of Kubernetes.", [openName]: true });

/** Whole milliseconds, up to a day. */
export const milliseconds = (what: string) =>
  z.int().min(0).max(86_400_000).optional().describe(`${what}, in milliseconds.`);
