import { z } from "zod";
import { secret } from "../secrets/marks.ts";
import { commonShape, envVar, tls } from "./fields.ts";
import { parseImage } from "./image-reference.ts";

const isTemplate = (text: string) => text.includes("{{") || text.includes("$(");

const reference = z
  .string()
  .min(1)
  .max(1024)
  .superRefine((text, context) => {
    // A template cannot be judged before it is evaluated.
    if (isTemplate(text)) return;
    try {
      parseImage(text);
    } catch (error) {
      context.addIssue({ code: "custom", message: (error as Error).message });
    }
  });

const imageShape = {
  ...commonShape,
  image: reference.describe(
    "The image: registry/repository:tag or registry/repository@sha256:…; of Docker Hub where no registry is written.",
  ),
  auth: z
    .looseObject({
      username: envVar.optional().describe("User name at the registry."),
      password: secret(envVar).optional().describe("Password or token."),
    })
    .optional()
    .describe("Credentials of the registry; public images need none."),
  username: envVar.optional().describe("What earlier versions call auth.username."),
  password: secret(envVar).optional().describe("What earlier versions call auth.password."),
  expectedDigest: z
    .string()
    .max(256)
    .optional()
    .describe(
      "Digest that the image must have: sha256:…; of the list, where it is for several platforms.",
    ),
  platform: z
    .string()
    .max(100)
    .regex(/^[\w.-]+\/[\w.-]+(\/[\w.-]+)?$/, "Expected os/architecture, for example linux/arm64.")
    .optional()
    .describe("Platform of the image that is meant, os/architecture; linux/amd64 when absent."),
  insecure: z
    .boolean()
    .optional()
    .describe("Ask the registry over HTTP. One of this machine is asked so in any case."),
  tlsConfig: tls.optional(),
} as const;

const expectedSize = z.int().min(0).optional();

export const dockerSpec = z
  .looseObject({
    ...imageShape,
    expectedSize: expectedSize.describe(
      "Bytes of the unpacked image. No registry tells them, so a check with this is held.",
    ),
  })
  .describe("An image that its registry must give out, as Docker pulls it.");

export const containerdSpec = z
  .looseObject({
    ...imageShape,
    expectedSize: expectedSize.describe(
      "Bytes that the image must have as the registry keeps it: lists, configuration and packed layers.",
    ),
  })
  .describe("An image that its registry must give out, as containerd pulls it.");

export type ImageSpec = z.output<typeof containerdSpec>;
