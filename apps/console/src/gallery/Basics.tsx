import { Play, Plus, Settings, Trash2 } from "lucide-react";
import { useState } from "react";
import { Age } from "@mainstay/ui/Age.tsx";
import { Avatar } from "@mainstay/ui/Avatar.tsx";
import { AvatarStack } from "@mainstay/ui/AvatarStack.tsx";
import { Badge } from "@mainstay/ui/Badge.tsx";
import { Breadcrumb } from "@mainstay/ui/Breadcrumb.tsx";
import { Button, IconButton } from "@mainstay/ui/Button.tsx";
import { Icon } from "@mainstay/ui/Icon.tsx";
import { SplitBar } from "@mainstay/ui/SplitBar.tsx";
import { StatusDot, type Tone } from "@mainstay/ui/StatusDot.tsx";
import { StatusStrip, type StripEntry } from "@mainstay/ui/status-strip/StatusStrip.tsx";
import { Switch } from "@mainstay/ui/Switch.tsx";
import { Tabs } from "@mainstay/ui/Tabs.tsx";
import { Show, State } from "./Show.tsx";

const tones: Tone[] = ["healthy", "warning", "unhealthy", "unknown", "info"];
const people = [
  "Ada Lovelace",
  "Grace Hopper",
  "王小明",
  "आदित्य शर्मा",
  "Łukasz Żółć",
  "Zoë Ünal",
  "Ivan",
];
const types = [
  "kubernetes",
  "AWS::EC2::Instance",
  "Kubernetes::Pod",
  "postgres",
  "github",
  "http",
  "redis",
  "aws-s3",
  "prometheus",
  "something nobody knows",
];
const start = Date.UTC(2026, 0, 1);
const results: StripEntry[] = Array.from({ length: 28 }, (_, index) => [
  start + index * 60_000,
  40 + ((index * 37) % 90) * (index % 7 === 0 ? 6 : 1),
  index % 9 === 4 || index === 20 ? 0 : 1,
  index % 9 === 4 ? "connection refused" : "",
]);

export function Basics() {
  const [isOn, setIsOn] = useState(true);
  const [tab, setTab] = useState("history");
  const [many, setMany] = useState("namespace-0");
  const [now] = useState(() => Date.now());
  return (
    <>
      <Show title="Buttons">
        {(["primary", "plain", "quiet", "danger"] as const).map((kind) => (
          <State key={kind} name={kind}>
            <Button kind={kind}>Run now</Button>
            <Button kind={kind} icon={<Play size={14} strokeWidth={1.75} />}>
              With an icon
            </Button>
            <Button kind={kind} disabled>
              Disabled
            </Button>
          </State>
        ))}
        <State name="icon buttons">
          <IconButton label="Add" icon={<Plus size={16} strokeWidth={1.75} />} />
          <IconButton label="Settings" icon={<Settings size={16} strokeWidth={1.75} />} />
          <IconButton label="Delete" disabled icon={<Trash2 size={16} strokeWidth={1.75} />} />
        </State>
      </Show>
      <Show title="Badges and status">
        <State name="badges">
          <Badge>plain</Badge>
          {tones.map((tone) => (
            <Badge key={tone} tone={tone}>
              <StatusDot tone={tone} /> {tone}
            </Badge>
          ))}
          <Badge tooltip="With a tooltip">12</Badge>
        </State>
        <State name="dots">
          {tones.map((tone) => (
            <StatusDot key={tone} tone={tone} label={tone} />
          ))}
          {tones.map((tone) => (
            <StatusDot key={tone} tone={tone} label={`${tone}, old`} isFaded />
          ))}
        </State>
        <State name="split bar">
          <SplitBar
            counted="healthy"
            parts={[
              { tone: "healthy", count: 28, label: "healthy" },
              { tone: "warning", count: 4, label: "warning" },
              { tone: "unhealthy", count: 8, label: "unhealthy" },
            ]}
          />
          <SplitBar counted="healthy" parts={[{ tone: "healthy", count: 12, label: "healthy" }]} />
          <SplitBar counted="healthy" parts={[]} />
        </State>
      </Show>
      <Show title="Status strip">
        <State name="results, few, none">
          <StatusStrip entries={results} />
          <StatusStrip entries={results.slice(0, 5)} />
          <StatusStrip entries={[]} />
        </State>
        <State name="large">
          <StatusStrip entries={results} height={48} label="Last 28 results, large" />
        </State>
      </Show>
      <Show title="Age">
        <State name="seconds, minutes, hours, days, years, ahead, none, no date">
          {[5, 200, 7_300, 200_000, 90_000_000, -3_700].map((seconds) => (
            <Age key={seconds} at={now - seconds * 1_000} />
          ))}
          <Age at={null} />
          <Age at="never" />
        </State>
      </Show>
      <Show title="Avatars">
        <State name="letters of every script, an address, no name, a picture that is not there">
          {people.map((name) => (
            <Avatar key={name} name={name} />
          ))}
          <Avatar name="ada.lovelace@example.org" size={32} />
          <Avatar name="" />
          <Avatar name="Gone Away" src="/no-such-picture.png" />
        </State>
        <State name="stacks of one, five, seven">
          <AvatarStack
            label="Responders"
            people={people.slice(0, 1).map((name) => ({ id: name, name }))}
          />
          <AvatarStack
            label="Responders"
            people={people.slice(0, 5).map((name) => ({ id: name, name }))}
          />
          <AvatarStack label="Responders" people={people.map((name) => ({ id: name, name }))} />
        </State>
      </Show>
      <Show title="Icons">
        <State name="marks on demand, and a letter for what is unknown">
          {types.map((type) => (
            <span key={type} className="flex items-center gap-1.5 pr-3 text-sm">
              <Icon name={type} />
              {type}
            </span>
          ))}
        </State>
        <State name="a mark of our own, larger">
          <Icon name="run" mark={Play} size={24} />
          <Icon name="kubernetes" size={32} />
          <Icon name="unheard of" size={32} />
        </State>
      </Show>
      <Show title="Tooltips">
        <State name="for what is hovered, and at once for what the keyboard reaches">
          <Button data-tooltip="One line">Hover or focus me</Button>
          <span
            className="text-sm"
            data-tooltip={"Several lines,\nfor example a time\nand its UTC"}
          >
            several lines
          </span>
          <span data-tooltip="You need the role editor for this">
            <Button disabled>Disabled, and why</Button>
          </span>
        </State>
      </Show>
      <Show title="Switch">
        <div className="w-60">
          <Switch label="Hide passing" checked={isOn} onChange={setIsOn} />
          <Switch label="Disabled" checked={false} disabled onChange={setIsOn} />
        </div>
      </Show>
      <Show title="Tabs">
        <Tabs
          label="Check"
          tabs={[
            { id: "history", label: "History" },
            { id: "spec", label: "Spec" },
            { id: "relationships", label: "Relationships", badge: <Badge>3</Badge> },
          ]}
          selected={tab}
          onSelect={setTab}
          panelId="gallery-tab"
        />
        <div id="gallery-tab" role="tabpanel" aria-label={tab}>
          {tab}
        </div>
        <Tabs
          label="More than fit"
          tabs={Array.from({ length: 30 }, (_, index) => ({
            id: `namespace-${index}`,
            label: `namespace-${index}`,
          }))}
          selected={many}
          onSelect={setMany}
          panelId="gallery-tabs-many"
        />
        <div id="gallery-tabs-many" role="tabpanel" aria-label={many}>
          {many}
        </div>
      </Show>
      <Show title="Breadcrumb">
        <Breadcrumb crumbs={[{ label: "Health" }]} />
        <Breadcrumb
          crumbs={[
            { label: "Settings", href: "/settings/connections" },
            { label: "Catalog scrapers", href: "/settings/config_scrapers" },
            { label: "a-scraper-with-a-name-that-goes-on-and-on-for-longer-than-there-is-room" },
          ]}
        />
      </Show>
    </>
  );
}
