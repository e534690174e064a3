import { Play } from "lucide-react";
import { toastDone } from "@mainstay/ui/toasts.ts";
import { GatedButton } from "#lib/GatedButton.tsx";
import { useAccess } from "#lib/use-access.ts";
import { useRunTopology } from "./mutations.ts";

/** Has a topology looked up now; its job history says what came of it. */
export function RunTopology({ id, name }: { id: string; name: string }) {
  const run = useRunTopology(id);
  const tell = () =>
    toastDone(`${name} runs as soon as a worker is free; its job history says what came of it`);
  return (
    <GatedButton
      whyNot={useAccess().whyNot("write", "topologies")}
      icon={<Play size={14} strokeWidth={1.75} />}
      aria-busy={run.isPending}
      onClick={() => {
        if (!run.isPending) run.mutate(undefined, { onSuccess: tell });
      }}
    >
      Run now
    </GatedButton>
  );
}
