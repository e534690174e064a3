import type {
  TopologyTrial,
  TrialComponent,
  TrialList,
} from "@mainstay/contract/topology-trial.ts";
import { Icon } from "@mainstay/ui/Icon.tsx";
import { StatusDot } from "@mainstay/ui/StatusDot.tsx";
import { healthWord, toneOf } from "../shared/component-words.ts";

const number = new Intl.NumberFormat();
const counted = (count: number, noun: string) =>
  `${number.format(count)} ${noun}${count === 1 ? "" : "s"}`;

function Tree({ components }: { components: readonly TrialComponent[] }) {
  return (
    <ul className="m-0 list-none p-0 pl-4 first:pl-0">
      {components.map((component, index) => {
        const { name, type, icon, status = "", health } = component;
        const tone = toneOf({ status, health: health as never });
        return (
          <li key={`${component.external_id} ${index}`}>
            <span className="flex min-h-6 min-w-0 items-center gap-1.5 text-sm">
              <StatusDot tone={tone} label={healthWord(tone)} />
              <Icon name={icon || type || name} size={14} />
              <bdi className="truncate">{name}</bdi>
              {type && <span className="shrink-0 text-xs text-muted">{type}</span>}
            </span>
            {component.components && <Tree components={component.components} />}
          </li>
        );
      })}
    </ul>
  );
}

function Names({ label, list }: { label: string; list: TrialList }) {
  if (list.count === 0) return null;
  const more = list.count - list.names.length;
  return (
    <p className="m-0 text-sm break-words">
      <span className="font-medium">
        {label} {number.format(list.count)}:
      </span>{" "}
      {list.names.join(", ")}
      {more > 0 && ` and ${number.format(more)} more`}
    </p>
  );
}

const size = (components: readonly TrialComponent[]): number =>
  components.reduce((sum, one) => sum + 1 + size(one.components ?? []), 0);

/** What a topology would be made of, and what that would change of what is there. */
export function TrialResults({ results }: { results: readonly TopologyTrial[] }) {
  return results.map((trial) => {
    const shown = size(trial.components);
    return (
      <section key={trial.topology} aria-label={trial.topology} className="flex flex-col gap-1.5">
        <h3 className="m-0 text-sm font-semibold">
          {trial.topology}: {counted(trial.count, "component")}
          {trial.checks > 0 && `, ${counted(trial.checks, "check")}`}
        </h3>
        {trial.errors.map((error, index) => (
          <p key={`${index} ${error}`} role="alert" className="m-0 text-sm text-unhealthy-fg">
            {error}
          </p>
        ))}
        {trial.warnings.map((warning, index) => (
          <p key={`${index} ${warning}`} className="m-0 text-sm text-warning-fg">
            {warning}
          </p>
        ))}
        {!trial.complete && (
          <p className="m-0 text-sm text-muted">
            A lookup failed: what is not found this time would not be removed.
          </p>
        )}
        <Names label="Added" list={trial.changes.added} />
        <Names label="Changed" list={trial.changes.changed} />
        <Names label="Removed" list={trial.changes.removed} />
        <Tree components={trial.components} />
        {shown < trial.count && (
          <p className="m-0 text-sm text-muted">
            The first {number.format(shown)} are shown; the others would be saved, too.
          </p>
        )}
      </section>
    );
  });
}
