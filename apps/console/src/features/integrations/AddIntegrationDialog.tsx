import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import { TypeGrid } from "@mainstay/ui/choice/TypeGrid.tsx";
import { CodeView } from "@mainstay/ui/code-view/CodeView.tsx";
import { CopyButton } from "@mainstay/ui/CopyButton.tsx";
import { Dialog } from "@mainstay/ui/Dialog.tsx";
import { Icon } from "@mainstay/ui/Icon.tsx";
import { TextAreaField, TextField } from "@mainstay/ui/fields/TextField.tsx";
import { Tabs } from "@mainstay/ui/Tabs.tsx";
import { paths } from "#lib/paths.ts";
import {
  type Chart,
  charts,
  defaultRelease,
  fluxPreview,
  helmPreview,
  mistakesOf,
  type Release,
} from "./gitops-charts.ts";

const directly = "scraper";
const groups = [
  {
    label: "Add via GitOps",
    items: charts.map(({ id, label, help }) => ({
      value: id,
      label,
      help,
      icon: <Icon name={id === "mission-control" ? "server" : id} />,
    })),
  },
  {
    label: "Add directly",
    items: [
      {
        value: directly,
        label: "Catalog Scraper",
        help: "A document that says what is read into the catalog, and when",
        icon: <Icon name="config" />,
      },
    ],
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
  const chart = charts.find(({ id }) => id === chosen);
  if (chart) return <ChartDialog chart={chart} onBack={() => onChoose("pick")} onClose={onClose} />;
  const choose = (value: string) =>
    value === directly
      ? history.push(paths.catalogScrapers({ addScraper: "true" }))
      : onChoose(value);
  return (
    <Dialog title="Add integration" size="large" onClose={onClose}>
      <TypeGrid noun="integration" groups={groups} onChoose={choose} />
    </Dialog>
  );
}

const previews = [
  { id: "flux", label: "Flux", language: "yaml", of: fluxPreview },
  { id: "helm", label: "Helm CLI", language: "text", of: helmPreview },
] as const;

function ChartDialog({
  chart,
  onBack,
  onClose,
}: {
  chart: Chart;
  onBack: () => void;
  onClose: () => void;
}) {
  const [release, setRelease] = useState(defaultRelease);
  const [shown, setShown] = useState<string>("flux");
  const mistakes = mistakesOf(release);
  const preview = previews.find(({ id }) => id === shown) ?? previews[0];
  const isWhole = Object.values(mistakes).every((one) => one === undefined);
  const text = isWhole ? preview.of(chart, release) : undefined;
  const field = (name: keyof Release) => ({
    value: release[name],
    error: mistakes[name],
    onChange: (value: string) => setRelease({ ...release, [name]: value }),
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
          {text !== undefined && <CopyButton text={text} label="Copy" isLabelled />}
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
