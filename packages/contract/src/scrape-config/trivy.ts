import { z } from "zod";
import { durationText, envVar } from "../canary/fields.ts";
import { secret } from "../secrets/marks.ts";
import { baseShape } from "./base-fields.ts";
import { textList } from "./texts.ts";

const words = textList(256, 100).optional();

const kubernetes = z
  .looseObject({
    clusterName: z
      .string()
      .max(253)
      .optional()
      .describe(
        "Our addition: what the cluster is called by its kubernetes scraper. Without it an object is found by kind, namespace and name, where only one cluster has it.",
      ),
    components: words.describe("What is scanned: workload, infra."),
    context: z.string().max(253).optional().describe("Context of the kubeconfig."),
    kubeconfig: secret(envVar)
      .optional()
      .describe("Path of a kubeconfig on this server, or its text; the server's own when absent."),
    namespace: z.string().max(253).optional().describe("Only this namespace."),
  })
  .describe("The cluster that is scanned.");

export const trivyScraper = z
  .looseObject({
    ...baseShape,
    version: z
      .string()
      .max(100)
      .optional()
      .describe(
        "Version of the program. The one that is installed is run; another is told of in the job history.",
      ),
    compliance: words.describe("Reports of compliance to make, for example k8s-nsa."),
    ignoredLicenses: words.describe("Licences that are not told of."),
    ignoreUnfixed: z.boolean().optional().describe("Only what a newer version mends."),
    licenseFull: z.boolean().optional().describe("Look for licences in sources, too."),
    severity: words.describe("Only of these severities: CRITICAL, HIGH, MEDIUM, LOW, UNKNOWN."),
    vulnType: words.describe("Only in these: os, library."),
    scanners: words.describe("What is looked for: vuln, misconfig, secret, license."),
    timeout: durationText.optional().describe("A scan fails after this long; 5m when absent."),
    kubernetes: kubernetes.optional(),
  })
  .describe("What Trivy finds in a Kubernetes cluster, as insights.");

export type TrivyScraper = z.output<typeof trivyScraper>;
