import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import type { ReactNode } from "react";
import { DEFAULT_TOKEN_DAYS } from "@mainstay/contract";
import { Button } from "@mainstay/ui/Button.tsx";
import { CopyButton } from "@mainstay/ui/CopyButton.tsx";
import { downloadText } from "@mainstay/ui/export/export-rows.ts";
import { Dialog } from "@mainstay/ui/Dialog.tsx";
import { ApiError } from "#lib/api-error.ts";
import { request } from "#lib/api.ts";
import { paths } from "#lib/paths.ts";

const fileName = () => `${window.location.host.replaceAll(":", "-")}-kubeconfig.yaml`;

async function download(): Promise<void> {
  const name = "POST /api/kubeconfig";
  const { data, status } = await request("/api/kubeconfig", {
    method: "POST",
    headers: { Accept: "text/yaml" },
  });
  if (typeof data !== "string")
    throw new ApiError("The server sent no kubeconfig.", { status, request: name, body: data });
  downloadText(fileName(), "text/yaml", data);
}

function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <li className="flex gap-3">
      <span
        aria-hidden="true"
        className="flex size-6 shrink-0 items-center justify-center rounded-full border bg-sunken text-xs font-medium tabular-nums"
      >
        {number}
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        <h3 className="m-0 text-md leading-6 font-medium">{title}</h3>
        {children}
      </div>
    </li>
  );
}

function Command({ text }: { text: string }) {
  return (
    <div className="flex items-center gap-2 rounded-control bg-sunken py-1 pr-1 pl-3">
      <code className="min-w-0 flex-1 py-1 font-mono text-xs break-words">{text}</code>
      <CopyButton text={text} label="Copy command" />
    </div>
  );
}

/** Document 1, section 1: the file, how it is used, and more about it. */
export function KubeconfigDialog({ onClose }: { onClose: () => void }) {
  const save = useMutation({ mutationFn: download });
  return (
    <Dialog title="Download and install kubeconfig" size="small" onClose={onClose}>
      <ol className="m-0 flex list-none flex-col gap-5 p-0">
        <Step number={1} title="Download the file">
          <p className="m-0 text-sm text-muted">
            It is saved as <span className="font-mono text-xs">{fileName()}</span> and holds an
            access token of yours that works for {DEFAULT_TOKEN_DAYS} days: keep it like a password.
            Each download makes a new one.
          </p>
          <Button
            kind="primary"
            className="self-start"
            icon={<Download size={14} strokeWidth={1.75} />}
            disabled={save.isPending}
            onClick={() => save.mutate()}
          >
            Download kubeconfig
          </Button>
        </Step>
        <Step number={2} title="Use it with kubectl">
          <p className="m-0 text-sm text-muted">For example, list the canaries:</p>
          <Command text={`kubectl --kubeconfig ./${fileName()} get canaries --all-namespaces`} />
        </Step>
      </ol>
      <p className="mt-5 mb-0 text-sm">
        <a
          href={`${paths.help()}#help-kubeconfig`}
          target="_blank"
          rel="noreferrer"
          className="text-accent underline underline-offset-2"
        >
          Learn more
        </a>
      </p>
    </Dialog>
  );
}
