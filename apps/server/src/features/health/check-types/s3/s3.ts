import { randomBytes } from "node:crypto";
import { checkSpecs, type S3Spec } from "@mainstay/contract";
import { s3Client } from "#platform/outbound/s3/s3-client.ts";
import { attempt, checkType, failed, inMs, passed } from "../check-type.ts";

/** Objects of the listing that are looked at: that it works is what is asked. */
const mostListed = 1000;

/** Lists, writes, reads back and deletes, so that every right that a program needs is tried. */
export const s3 = checkType<S3Spec>({
  type: "s3",
  spec: checkSpecs.s3,
  network: true,
  endpoint: ({ bucket, endpoint }) => (endpoint ? `${endpoint}/${bucket ?? ""}` : (bucket ?? "")),
  async run(input) {
    const { spec } = input;
    const { bucket, accessKey, secretKey, sessionToken, objectPath = "", ...where } = spec;
    if (!bucket) return failed("the check does not say which bucket", { invalid: true });
    return attempt(input, async () => {
      const started = performance.now();
      const client = await s3Client(
        {
          ...where,
          bucket,
          accessKey: accessKey?.value || undefined,
          secretKey: secretKey?.value || undefined,
          sessionToken: sessionToken?.value || undefined,
        },
        input,
      );
      const folder = objectPath === "" || objectPath.endsWith("/") ? objectPath : `${objectPath}/`;
      let listed = 0;
      for await (const _ of client.list(folder)) {
        listed += 1;
        if (listed >= mostListed) break;
      }
      const key = `${folder}mainstay-check-${randomBytes(8).toString("hex")}`;
      const content = randomBytes(8).toString("hex");
      await client.put(key, content);
      let read: string;
      try {
        read = (await client.get(key)).toString("utf8");
      } catch (error) {
        // What was written must not stay, whatever became of it.
        await client.remove(key).catch(() => undefined);
        throw error;
      }
      await client.remove(key);
      const durationMs = performance.now() - started;
      const details = { listed, isComplete: listed < mostListed };
      if (read !== content)
        return failed(`${client.place} gave back something else than what was written`, {
          durationMs,
          details,
        });
      return passed(`listed, written, read and deleted in ${inMs(durationMs)}`, {
        durationMs,
        details,
      });
    });
  },
});
