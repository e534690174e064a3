import { type DocumentFormat, isCalled } from "@mainstay/contract";
import { documentFormats } from "@mainstay/contract/document-formats.ts";
import { StartupError } from "@mainstay/embedded-postgres";

/** The kind of documents that a word means. */
export function kindCalled(word: string, others: readonly string[] = []): DocumentFormat {
  const format = documentFormats.find((one) => isCalled(one, word));
  if (format) return format;
  const known = [...documentFormats.map(({ plural }) => plural), ...others];
  throw new StartupError(
    `There is no kind of documents called ${JSON.stringify(word)}. There is: ${known.join(", ")}.`,
  );
}
