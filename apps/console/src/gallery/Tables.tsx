import { Square } from "lucide-react";
import { useMemo, useState } from "react";
import { Age } from "@mainstay/ui/Age.tsx";
import { Badge } from "@mainstay/ui/Badge.tsx";
import { Button } from "@mainstay/ui/Button.tsx";
import type { Column, Sort } from "@mainstay/ui/data-table/column.ts";
import { ListTable, type Selected } from "@mainstay/ui/list-table/ListTable.tsx";

import { useGrowingPage } from "@mainstay/ui/list-table/use-growing-page.ts";
import { formatDuration } from "@mainstay/ui/duration.ts";
import { Icon } from "@mainstay/ui/Icon.tsx";
import { Pagination } from "@mainstay/ui/list-table/Pagination.tsx";
import { StatusDot, type Tone } from "@mainstay/ui/StatusDot.tsx";
import { toastDone } from "@mainstay/ui/toasts.ts";
import { Show, State } from "./Show.tsx";

interface Job {
  id: string;
  name: string;
  type: string;
  status: Tone;
  durationMs: number;
  startedAt: number;
}

const tones: Tone[] = ["healthy", "warning", "unhealthy", "unknown"];
const types = ["canary", "topology", "config_scraper"];
const start = Date.UTC(2026, 8, 1);

const makeJobs = (count: number): Job[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `job-${index}`,
    name: `${["Sync", "Scrape", "Check", "Push"][index % 4]} ${types[index % 3]} ${index}`,
    type: types[index % 3] ?? "",
    status: tones[(index * 7) % 4] ?? "unknown",
    durationMs: ((index * 7919) % 90_000) + 3,
    startedAt: start + index * 977_000,
  }));

const columns: Column<Job>[] = [
  {
    id: "name",
    header: "Name",
    sortable: true,
    hideable: false,
    value: (job) => job.name,
    renderCell: (job) => (
      <span className="inline-flex max-w-full items-center gap-2 align-middle">
        <Icon name={job.type} />
        <span className="truncate">{job.name}</span>
      </span>
    ),
  },
  {
    id: "type",
    header: "Type",
    width: 150,
    sortable: true,
    value: (job) => job.type,
    renderCell: (job) => <Badge>{job.type}</Badge>,
  },
  {
    id: "status",
    header: "Status",
    width: 130,
    sortable: true,
    value: (job) => job.status,
    renderCell: (job) => (
      <span className="inline-flex items-center gap-1.5">
        <StatusDot tone={job.status} /> {job.status}
      </span>
    ),
  },
  {
    id: "duration",
    header: "Duration",
    width: 110,
    align: "right",
    sortable: true,
    value: (job) => job.durationMs,
    renderCell: (job) => formatDuration(job.durationMs),
    renderGroup: (jobs) => formatDuration(jobs.reduce((sum, job) => sum + job.durationMs, 0)),
  },
  {
    id: "started",
    header: "Started",
    width: 120,
    align: "right",
    sortable: true,
    value: (job) => new Date(job.startedAt),
    renderCell: (job) => <Age at={job.startedAt} />,
  },
];

/** `rows=300` in the address: for whoever looks at something else than how many there are. */
const asked = new URLSearchParams(window.location.search).get("rows");
const all = makeJobs(Number(asked ?? 100_000));

function Growing() {
  const [sort, setSort] = useState<Sort | null>(null);
  const { pageSize, onEndReached } = useGrowingPage(50);
  const rows = useMemo(() => all.slice(0, pageSize), [pageSize]);
  return (
    <>
      <p className="m-0 text-xs text-muted">
        {rows.length.toLocaleString()} of {all.length.toLocaleString()} rows asked for
      </p>
      <div className="flex h-80 flex-col rounded-card border">
        <ListTable
          label="Growing"
          columns={columns}
          rows={rows}
          rowId={(job) => job.id}
          sort={sort}
          onSort={setSort}
          onEndReached={(loaded) => onEndReached(loaded, all.length)}
          onOpen={(job) => toastDone(job.name)}
        />
      </div>
    </>
  );
}

function Whole() {
  const [sort, setSort] = useState<Sort | null>({ by: "duration", desc: true });
  const [selected, setSelected] = useState<Selected>({});
  const [groupBy, setGroupBy] = useState<string | null>(null);
  return (
    <>
      <div className="flex flex-wrap gap-2">
        {[null, "type", "status"].map((id) => (
          <Button key={id ?? "none"} aria-pressed={groupBy === id} onClick={() => setGroupBy(id)}>
            {id === null ? "No grouping" : `Group by ${id}`}
          </Button>
        ))}
      </div>
      <div className="flex h-96 flex-col rounded-card border">
        <ListTable
          label="Jobs"
          columns={columns}
          rows={all}
          rowId={(job) => job.id}
          sort={sort}
          onSort={setSort}
          groupBy={groupBy}
          selection={{ selected, onChange: setSelected }}
          renderBulkActions={(jobs) => (
            <Button
              icon={<Square size={14} strokeWidth={1.75} />}
              onClick={() => toastDone(`Stopped ${jobs.length}`)}
            >
              Stop
            </Button>
          )}
          exportName="jobs"
          storageKey="mainstay.columns.gallery"
          onOpen={(job) => toastDone(job.name)}
        />
      </div>
    </>
  );
}

function Paged() {
  const [page, setPage] = useState({ pageIndex: 0, pageSize: 5 });
  const from = page.pageIndex * page.pageSize;
  return (
    <div className="flex h-72 flex-col rounded-card border">
      <ListTable
        label="Pages"
        columns={columns}
        rows={all.slice(from, from + page.pageSize)}
        rowId={(job) => job.id}
        isSortedElsewhere
      />
      <div className="border-t px-4 py-1.5">
        <Pagination {...page} total={1_234} onChange={setPage} />
      </div>
    </div>
  );
}

export function Tables() {
  return (
    <>
      <Show title="Table">
        <p className="m-0 text-xs text-muted">
          {all.length.toLocaleString()} rows: sorting, groups, selection, column choice and width,
          export. Arrows, j and k move, Space chooses, Enter opens, Ctrl+A takes all.
        </p>
        <Whole />
      </Show>
      <Show title="Without pages">
        <Growing />
      </Show>
      <Show title="With pages">
        <Paged />
        <State name="one page, none, behind the last, a size of its own">
          <Pagination pageIndex={0} pageSize={50} total={12} onChange={() => {}} />
          <Pagination pageIndex={0} pageSize={50} total={0} onChange={() => {}} />
          <Pagination pageIndex={9} pageSize={10} total={12} onChange={() => {}} />
          <Pagination pageIndex={0} pageSize={50} total={51} isCounting onChange={() => {}} />
          <Pagination pageIndex={1} pageSize={20} total={1_234} onChange={() => {}} />
        </State>
      </Show>
      <Show title="Loading">
        <div className="flex h-72 flex-col rounded-card border">
          <ListTable
            label="Loading"
            columns={columns}
            rows={[]}
            rowId={(job) => job.id}
            isLoading
          />
        </div>
      </Show>
      <Show title="Empty">
        <div className="flex h-60 flex-col rounded-card border">
          <ListTable label="Empty" columns={columns} rows={[]} rowId={(job) => job.id} />
        </div>
      </Show>
    </>
  );
}
