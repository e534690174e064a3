import { Settings } from "lucide-react";
import { IconButton } from "@mainstay/ui/Button.tsx";
import { Popover } from "@mainstay/ui/Popover.tsx";
import { Switch } from "@mainstay/ui/Switch.tsx";
import { setPreferences, usePreferences, widths } from "../shared/preferences.ts";

/** What the reader has chosen for all pages of the topology; kept by this browser. */
export function Preferences() {
  const { showHidden, cardWidth } = usePreferences();
  return (
    <Popover
      label="Preferences"
      align="end"
      renderTrigger={(trigger) => (
        <IconButton
          label="Preferences"
          icon={<Settings size={16} strokeWidth={1.75} />}
          {...trigger}
        />
      )}
    >
      {() => (
        <div className="flex w-64 flex-col gap-3 p-3">
          <Switch
            label="Show hidden components"
            checked={showHidden}
            onChange={(next) => setPreferences({ showHidden: next })}
          />
          <label className="flex flex-col gap-1 text-sm">
            <span className="flex justify-between">
              Card width
              <span className="text-muted tabular-nums">{cardWidth} px</span>
            </span>
            <input
              type="range"
              min={widths.least}
              max={widths.most}
              value={cardWidth}
              onChange={(event) => setPreferences({ cardWidth: Number(event.target.value) })}
              className="w-full accent-accent"
            />
          </label>
        </div>
      )}
    </Popover>
  );
}
