import { useState } from "react";
import {
  formatTriStateFilter,
  parseTriStateFilter,
  type TriStateFilter,
} from "@mainstay/ui/filters/tri-state-filter.ts";
import { TriStateSelect } from "@mainstay/ui/filters/TriStateSelect.tsx";
import { RefreshRateSelect } from "@mainstay/ui/RefreshRateSelect.tsx";
import { Select } from "@mainstay/ui/Select.tsx";
import { StatusDot } from "@mainstay/ui/StatusDot.tsx";
import {
  describeRange,
  formatRange,
  rangeMinutes,
  relativeRange,
  type TimeRange,
} from "@mainstay/ui/time-range/time-range.ts";
import { TimeRangePicker } from "@mainstay/ui/time-range/TimeRangePicker.tsx";
import { type TriState, TriStateToggle } from "@mainstay/ui/filters/TriStateToggle.tsx";
import { Show, State } from "./Show.tsx";

const statuses = [
  { value: "healthy", label: "healthy", icon: <StatusDot tone="healthy" /> },
  { value: "unhealthy", label: "unhealthy", icon: <StatusDot tone="unhealthy" /> },
  { value: "warning", label: "warning", icon: <StatusDot tone="warning" /> },
  { value: "unknown", label: "unknown", icon: <StatusDot tone="unknown" /> },
];
const types = ["AWS::EC2::Instance", "AWS::S3::Bucket", "Kubernetes::Pod", "a, b and c"]
  .concat(Array.from({ length: 300 }, (_, index) => `Kubernetes::Kind${index}`))
  .map((value) => ({ value, label: value }));

const ranges: TimeRange[] = [
  relativeRange("1h"),
  { kind: "relative", from: "now-2d", to: "now-1d" },
  { kind: "mapped", name: "yesterday" },
  { kind: "absolute", from: "2026-01-02T00:00:00.000Z", to: "2026-01-03T12:30:00.000Z" },
];

function Picker({ start, allowFuture }: { start: TimeRange; allowFuture: boolean }) {
  const [range, setRange] = useState(start);
  return (
    <span className="flex max-w-full min-w-0 flex-col items-start gap-1">
      <TimeRangePicker
        value={range}
        onChange={setRange}
        allowFuture={allowFuture}
        label={`${start.kind}${allowFuture ? ", past and future" : ""}`}
      />
      <code
        className="max-w-full truncate font-mono text-2xs text-muted"
        data-tooltip={describeRange(range)}
      >
        {formatRange(range)}
      </code>
    </span>
  );
}

export function Filters() {
  const [toggles, setToggles] = useState<readonly TriState[]>([0, 1, -1]);
  const [status, setStatus] = useState<TriStateFilter>(() =>
    parseTriStateFilter("healthy:1,unknown:-1"),
  );
  const [type, setType] = useState<TriStateFilter>(() =>
    parseTriStateFilter("AWS________EC2________Instance:1,a|||| b and c:-1"),
  );
  const [several, setSeveral] = useState<TriStateFilter>(() =>
    parseTriStateFilter("a:1,b:1,c:-1,d:1,e:1"),
  );
  const [rate, setRate] = useState(60_000);
  const [none, setNone] = useState<TriStateFilter>(() => new Map());
  const [group, setGroup] = useState("none");
  return (
    <>
      <Show title="Three states">
        <div className="w-72">
          {toggles.map((state, index) => (
            <TriStateToggle
              key={index}
              label={["off", "included", "excluded"][index] ?? ""}
              value={state}
              onChange={(next) => setToggles(toggles.with(index, next))}
            />
          ))}
        </div>
      </Show>
      <Show title="Tri-state filters">
        <State name="few values, and many; Backspace on the button takes the last one out">
          <TriStateSelect label="Status" options={statuses} filter={status} onChange={setStatus} />
          <TriStateSelect label="Type" options={types} filter={type} onChange={setType} />
          <TriStateSelect
            label="Several"
            options={["a", "b", "c", "d", "e"].map((value) => ({ value, label: value }))}
            filter={several}
            onChange={setSeveral}
          />
          <TriStateSelect label="None" options={statuses} filter={none} onChange={setNone} />
        </State>
        <State name="as they are written in an address">
          <code className="font-mono text-xs break-all">
            status={formatTriStateFilter(status) ?? ""} type={formatTriStateFilter(type) ?? ""}
          </code>
        </State>
      </Show>
      <Show title="Time range">
        <State name="relative, date math, named, absolute">
          {ranges.map((range) => (
            <Picker key={formatRange(range)} start={range} allowFuture={false} />
          ))}
          <Picker start={relativeRange("1d")} allowFuture />
        </State>
      </Show>
      <Show title="Refresh rate">
        {["15m", "1h", "6h"].map((amount) => (
          <State key={amount} name={`for a range of ${amount}`}>
            <RefreshRateSelect
              rateMs={rate}
              rangeMinutes={rangeMinutes(relativeRange(amount))}
              onChange={setRate}
            />
          </State>
        ))}
      </Show>
      <Show title="Select">
        <State name="with a label, disabled, with a disabled entry">
          <Select
            label="Group by"
            value={group}
            options={[
              { value: "none", label: "No grouping" },
              { value: "name", label: "Name" },
              { value: "type", label: "Type", disabled: true },
            ]}
            onChange={setGroup}
          />
          <Select
            label="Disabled"
            value="a"
            disabled
            options={[{ value: "a", label: "Namespace" }]}
            onChange={setGroup}
          />
        </State>
      </Show>
    </>
  );
}
