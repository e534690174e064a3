import { checkSpecs, formatSize, type ImageSpec, parseImage } from "@mainstay/contract";
import { readTls } from "#platform/outbound/http/read-request.ts";
import { readImage } from "#platform/outbound/registry/read-image.ts";
import { openRegistry } from "#platform/outbound/registry/registry-client.ts";
import { createHider } from "#platform/sealing/hide-secrets.ts";
import {
  attempt,
  type CheckInput,
  type CheckOutcome,
  checkType,
  failed,
  failedBy,
  inMs,
  passed,
} from "../check-type.ts";

const defaultPlatform = "linux/amd64";

function loginOf({ auth, ...former }: ImageSpec) {
  const [username = "", password = ""] = [
    auth?.username?.value ?? former.username?.value,
    auth?.password?.value ?? former.password?.value,
  ];
  return username === "" && password === "" ? undefined : { username, password };
}

/** Asks the registry itself for everything that an engine would fetch, so no daemon is needed. */
function pull(input: CheckInput<ImageSpec>, expectedSize: number | undefined) {
  const { spec, connector, signal } = input;
  return attempt(input, async (): Promise<CheckOutcome> => {
    let image: ReturnType<typeof parseImage>;
    try {
      image = parseImage(spec.image);
    } catch (error) {
      return failedBy(error, { invalid: true });
    }
    const started = performance.now();
    const registry = openRegistry(image, {
      connector,
      signal,
      login: loginOf(spec),
      isInsecure: spec.insecure ?? false,
      tls: readTls(spec.tlsConfig),
    });
    try {
      const found = await readImage(image, {
        registry,
        platform: spec.platform ?? defaultPlatform,
      });
      const durationMs = performance.now() - started;
      const outcome = { durationMs, details: { ...found } };
      const { expectedDigest } = spec;
      if (expectedDigest && expectedDigest !== found.digest)
        return failed(`the digest is ${found.digest}, wanted ${expectedDigest}`, outcome);
      if (expectedSize && expectedSize !== found.size)
        return failed(`the image has ${found.size} bytes, wanted ${expectedSize}`, outcome);
      const layers = `${found.layers} layer${found.layers === 1 ? "" : "s"}`;
      return passed(
        `${layers}, ${formatSize(found.size)}, all given out in ${inMs(durationMs)}`,
        outcome,
      );
    } catch (error) {
      if (signal.aborted) throw error;
      const { error: said = "", ...rest } = failedBy(error);
      return { ...rest, error: createHider(registry.issued)?.message(said) ?? said };
    }
  });
}

export const docker = checkType<ImageSpec>({
  type: "docker",
  spec: checkSpecs.docker,
  network: true,
  endpoint: ({ image }) => image,
  // What Docker counts is the unpacked image: a check that expects a number of bytes is held.
  run: (input) => pull(input, undefined),
});

export const containerd = checkType<ImageSpec>({
  type: "containerd",
  spec: checkSpecs.containerd,
  network: true,
  endpoint: ({ image }) => image,
  run: (input) => pull(input, input.spec.expectedSize),
});
