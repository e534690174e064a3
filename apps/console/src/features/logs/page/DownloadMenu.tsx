import { Download, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button, IconButton } from "@mainstay/ui/Button.tsx";
import { saveFile } from "@mainstay/ui/export/save-file.ts";
import { Menu } from "@mainstay/ui/Menu.tsx";
import { toastDone, toastFailed } from "@mainstay/ui/toasts.ts";
import { isAborted, messageOf } from "#lib/api-error.ts";
import { download } from "#lib/download.ts";
import type { LogsQuestion } from "../shared/logs-view.ts";

const longestMs = 15 * 60_000;
const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;

/** All lines of a question as a file, with how much has come, and a way to stop. */
export function DownloadMenu({ question }: { question: LogsQuestion }) {
  const [bytes, setBytes] = useState<number>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start = async (format: "text" | "json") => {
    const controller = new AbortController();
    running.current = controller;
    setBytes(0);
    const asked = new URLSearchParams({ ...question, format });
    try {
      const file = await download(`/api/logs/download?${asked}`, {
        signal: controller.signal,
        timeoutMs: longestMs,
        onProgress: setBytes,
      });
      saveFile(format === "text" ? "logs.log" : "logs.json", file);
      // Document 3, section 8.
      toastDone("Downloaded logs");
    } catch (error) {
      if (!isAborted(error)) toastFailed(`Failed to download logs: ${messageOf(error)}`);
    } finally {
      setBytes(undefined);
    }
  };
  if (bytes !== undefined)
    return (
      <span
        role="status"
        className="inline-flex items-center gap-1 text-xs text-muted tabular-nums"
      >
        {`Downloading, ${megabytes(bytes)}`}
        <IconButton
          label="Cancel the download"
          icon={<X size={14} strokeWidth={1.75} />}
          onClick={() => running.current?.abort()}
        />
      </span>
    );
  return (
    <Menu
      label="Download"
      entries={[
        { kind: "action", label: "As text", onSelect: () => void start("text") },
        { kind: "action", label: "As JSON", onSelect: () => void start("json") },
      ]}
      renderTrigger={(trigger) => (
        <Button icon={<Download size={14} strokeWidth={1.75} />} {...trigger}>
          <span className="max-phone:sr-only">Download</span>
        </Button>
      )}
    />
  );
}
