import { useRouter } from "@tanstack/react-router";
import { Boxes, Download, Network, ScrollText } from "lucide-react";
import { useState } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import { TypeGrid, type TypeGridItem } from "@mainstay/ui/choice/TypeGrid.tsx";
import { CodeView } from "@mainstay/ui/code-view/CodeView.tsx";
import { CopyButton } from "@mainstay/ui/CopyButton.tsx";
import { Dialog } from "@mainstay/ui/Dialog.tsx";
import { downloadText } from "@mainstay/ui/export/export-rows.ts";
import { Icon } from "@mainstay/ui/Icon.tsx";
import { TextAreaField, TextField } from "@mainstay/ui/fields/TextField.tsx";
import { Tabs } from "@mainstay/ui/Tabs.tsx";
import { paths } from "#lib/paths.ts";
import { type Gate, useAccess } from "#lib/use-access.ts";
import {
  type Chart,
  charts,
  defaultRelease,
  fluxPreview,
  helmPreview,
  mistakesOf,
  type Release,
} from "./gitops-charts.ts";

const viaGitOps = {
  label: "Add via GitOps",
  items: charts.map(({ id, label, help }) => ({
    value: id,
    label,
    help,
    icon: <Icon name={id === "mission-control" ? "server" : id} />,
  })),
};

/** Documents that are written here, each in the form of its own list; `needs` is what that list asks for, and its form. */
const direct: readonly (TypeGridItem & { needs: readonly Gate[]; to: () => string })[] = [
  {
    value: "topology",
    label: "Custom Topology",
    help: "A document that says what a system is made of, and how that is found out",
    icon: <Icon name="topology" mark={Network} />,
    needs: [{ read: "topologies", write: "topologies", feature: "settings.topology" }],
    to: () => paths.topologies({ addTopology: "true" }),
  },
  {
    value: "scraper",
    label: "Catalog Scraper",
    help: "A document that says what is read into the catalog, and when",
    icon: <Icon name="config" mark={Boxes} />,
    needs: [
      { read: "config_scrapers", write: "config_scrapers", feature: "settings.config_scraper" },
    ],
    to: () => paths.catalogScrapers({ addScraper: "true" }),
  },
  {
    value: "log-backend",
    label: "Log Backends",
    help: "A document that says where log lines are",
    icon: <Icon name="logs" mark={ScrollText} />,
    needs: [
      { read: "logging_backends", write: "logging_backends", feature: "settings.logging_backends" },
      // Document 3, "Integrations".
      { feature: "logs" },
    ],
    to: () => paths.logBackends({ addLogBackend: "true" }),
  },
];

interface AddIntegrationDialogProps {
  /** The chart that was chosen; anything else is none. */
  chosen: string;
  onChoose: (id: string) => void;
  onClose: () => void;
}

/** A kind of integration, and how it comes here: as a document, or as a chart that a GitOps tool installs. */
export function AddIntegrationDialog({ chosen, onChoose, onClose }: AddIntegrationDialogProps) {
  const { history } = useRouter();
  const access = useAccess();
  // Here, so that going back for another chart loses nothing that was typed.
  const [release, setRelease] = useState(defaultRelease);
  const chart = charts.find(({ id }) => id === chosen);
  if (chart)
    return (
      <ChartDialog
        chart={chart}
        release={release}
        onRelease={setRelease}
        onBack={() => onChoose("pick")}
        onClose={onClose}
      />
    );
  const offered = direct.filter(({ needs }) => needs.every((one) => access.gate(one) === "open"));
  const choose = (value: string) => {
    const document = offered.find((one) => one.value === value);
    if (document) history.push(document.to());
    else onChoose(value);
  };
  return (
    <Dialog title="Add integration" size="large" onClose={onClose}>
      <TypeGrid
        noun="integration"
        groups={[viaGitOps, { label: "Add directly", items: offered }]}
        onChoose={choose}
      />
    </Dialog>
  );
}

const previews = [
  { id: "flux", label: "Flux", language: "yaml", ending: "yaml", of: fluxPreview },
  { id: "helm", label: "Helm CLI", language: "text", ending: "sh", of: helmPreview },
] as const;

function ChartDialog({
  chart,
  release,
  onRelease,
  onBack,
  onClose,
}: {
  chart: Chart;
  release: Release;
  onRelease: (release: Release) => void;
  onBack: () => void;
  onClose: () => void;
}) {
  const [shown, setShown] = useState<string>("flux");
  const mistakes = mistakesOf(release);
  const preview = previews.find(({ id }) => id === shown) ?? previews[0];
  const isWhole = Object.values(mistakes).every((one) => one === undefined);
  const text = isWhole ? preview.of(chart, release) : undefined;
  const field = (name: keyof Release) => ({
    value: release[name],
    error: mistakes[name],
    onChange: (value: string) => onRelease({ ...release, [name]: value }),
  });
  return (
    <Dialog
      title={`Add ${chart.label} via GitOps`}
      size="large"
      keepOpenOnOutsidePress
      onClose={onClose}
      footer={
        <>
          <Button onClick={onBack}>Back</Button>
          {text !== undefined && (
            <>
              <Button
                icon={<Download size={16} strokeWidth={1.75} />}
                onClick={() => downloadText(`${chart.name}.${preview.ending}`, "text/plain", text)}
              >
                Download
              </Button>
              <CopyButton text={text} label="Copy" isLabelled />
            </>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p className="rounded border border-warning-border bg-warning-bg px-3 py-2 text-warning-fg">
          This installs nothing by itself: the chart {chart.name} must be installed in your GitOps
          tool, or with Helm. It brings its documents to the cluster; those that this server is to
          run are applied here with <code>mainstay apply</code>.
        </p>
        <div className="flex flex-wrap gap-4">
          <TextField
            className="min-w-40 flex-1"
            label="Namespace"
            required
            {...field("namespace")}
          />
          <TextField className="min-w-40 flex-1" label="Interval" required {...field("interval")} />
          <TextField
            className="min-w-40 flex-1"
            label="Chart version"
            hint="The newest when empty."
            {...field("version")}
          />
        </div>
        <TextAreaField
          label="Chart values"
          hint="As YAML: what the chart's own values are changed to."
          rows={6}
          spellCheck={false}
          {...field("values")}
        />
        <Tabs
          label="Preview"
          tabs={previews}
          selected={preview.id}
          onSelect={setShown}
          panelId="gitops-preview"
        />
        <div id="gitops-preview" role="tabpanel" aria-label={preview.label} className="h-72">
          {text === undefined ? (
            <p className="text-muted">What is wrong above is put right first.</p>
          ) : (
            <CodeView label={`${preview.label} preview`} text={text} language={preview.language} />
          )}
        </div>
      </div>
    </Dialog>
  );
}
