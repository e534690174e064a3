import type { UseQueryResult } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { formatSize } from "@mainstay/contract/size.ts";
import { Age } from "@mainstay/ui/Age.tsx";
import { Button } from "@mainstay/ui/Button.tsx";
import { CopyButton } from "@mainstay/ui/CopyButton.tsx";
import { messageOf } from "#lib/api-error.ts";
import { serverTime } from "../check/server-time.ts";
import type { FilesOfRuns, RunFile } from "./queries.ts";

const shownSum = 12;

function OneFile({ file }: { file: RunFile }) {
  const { id, path, filename, size, checksum } = file;
  return (
    <li className="col-span-full flex flex-wrap items-center gap-x-3 gap-y-0.5 tablet:grid tablet:grid-cols-subgrid">
      <a
        href={`/api/artifacts/download/${encodeURIComponent(id)}`}
        download={filename}
        className="flex min-w-0 items-center gap-1.5 text-sm font-medium hover:text-accent hover:underline"
      >
        <Download aria-hidden="true" size={14} strokeWidth={1.75} className="shrink-0" />
        <span className="min-w-0 break-words">{path}</span>
      </a>
      <span className="text-xs text-muted tabular-nums tablet:text-right">{formatSize(size)}</span>
      <span className="text-xs text-muted">
        <Age at={serverTime(file.created_at)} />
        {file.expires_at && (
          <>
            , goes <Age at={serverTime(file.expires_at)} />
          </>
        )}
      </span>
      <span className="flex items-center gap-1 font-mono text-xs text-muted">
        <span data-tooltip={`SHA-256\n${checksum}`}>{checksum.slice(0, shownSum)}</span>
        <CopyButton text={checksum} label={`Copy the SHA-256 of ${path}`} />
      </span>
    </li>
  );
}

export interface RunFilesProps {
  time: string;
  files: UseQueryResult<FilesOfRuns>;
}

/** The files that one run left, to be carried away. */
export function RunFiles({ time, files }: RunFilesProps) {
  if (files.isError)
    return (
      <p role="alert" className="m-0 flex flex-wrap items-center gap-2 text-sm text-unhealthy-fg">
        The files of this run could not be listed: {messageOf(files.error)}
        <Button onClick={() => void files.refetch()}>Retry</Button>
      </p>
    );
  if (files.data === undefined)
    return <span aria-hidden="true" className="skeleton inline-block h-4 w-48" />;
  const found = files.data.get(time) ?? [];
  return (
    <section aria-label="Files of this run">
      <h3 className="m-0 text-2xs font-medium text-muted">Files</h3>
      {found.length === 0 ? (
        <p className="m-0 text-sm text-muted">
          No files of this run are kept: it left none that its document names, or their time is
          over.
        </p>
      ) : (
        <ul className="m-0 grid list-none grid-cols-[minmax(0,max-content)_auto_auto_1fr] gap-x-4 p-0">
          {found.map((file) => (
            <OneFile key={file.id} file={file} />
          ))}
        </ul>
      )}
    </section>
  );
}
