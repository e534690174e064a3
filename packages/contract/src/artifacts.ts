import { formatSize } from "./size.ts";

/** Files that a run leaves and that are kept with its result. */
export const artifactLimits = {
  /** Of one file. */
  fileBytes: 10 * 1024 * 1024,
  /** Of what a run wrote to a stream, kept as a file. */
  streamBytes: 1024 * 1024,
  runFiles: 100,
  runBytes: 32 * 1024 * 1024,
  /** Of all runs of one check; the oldest make room for new ones. */
  checkFiles: 1000,
  checkBytes: 128 * 1024 * 1024,
} as const;

/** The limits of one run, for people. */
export const artifactLimitText = `${artifactLimits.runFiles} files, ${formatSize(artifactLimits.fileBytes)} each, ${formatSize(artifactLimits.runBytes)} together`;

/** Of these types documents may say which files of a run are kept. */
export const typesWithArtifacts: readonly string[] = ["exec", "junit"];
