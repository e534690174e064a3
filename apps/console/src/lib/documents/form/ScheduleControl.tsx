import { createContext, useContext, useState } from "react";
import { exactTime } from "@mainstay/ui/Age.tsx";
import { useClock } from "@mainstay/ui/clock.ts";
import { timeOfDay, weekdayMinute } from "@mainstay/ui/moments.ts";
import { SelectField } from "@mainstay/ui/fields/ChoiceFields.tsx";
import { TextField } from "@mainstay/ui/fields/TextField.tsx";
import {
  type ControlProps,
  useFieldText,
  useSchemaForm,
} from "@mainstay/ui/schema-form/form-context.ts";
import { nextTimes, scheduleInWords, scheduleOptions } from "./schedule-words.ts";

/** Of the cron schedules of the document that the form is of. */
export const TimeZoneContext = createContext<string | undefined>(undefined);

const other = "other";

/** In words, and when it would run next. */
function ScheduleWords({ text, timeZone }: { text: string; timeZone: string | undefined }) {
  // Once a second is often enough for what runs once a second at most.
  const second = useClock((now) => Math.floor(now / 1000));
  const now = new Date(second * 1000);
  const times = nextTimes(text, timeZone, now);
  const words = scheduleInWords(text);
  return (
    <>
      {words}
      {times.length > 0 && (
        <>
          {words !== undefined && ". "}Next:{" "}
          {times.map((time, index) => (
            <span key={index}>
              {index > 0 && ", "}
              <time dateTime={time.toISOString()} data-tooltip={exactTime(time.getTime())}>
                {(time.toDateString() === now.toDateString() ? timeOfDay : weekdayMinute).format(
                  time,
                )}
              </time>
            </span>
          ))}
        </>
      )}
    </>
  );
}

/** When something runs: one of the usual schedules, or any other that is typed. */
export function ScheduleControl(props: ControlProps) {
  const timeZone = useContext(TimeZoneContext);
  const { onEdit, readOnly } = useSchemaForm();
  const { hint: help, error, ...field } = useFieldText(props);
  const { path, value } = props;
  const text = typeof value === "string" ? value : "";
  const isKnown = text === "" || scheduleOptions.some((option) => option === text);
  const [isTyped, setIsTyped] = useState(!isKnown);
  const edit = (next: string) => onEdit([{ path, value: next === "" ? undefined : next }]);
  const hint = text === "" ? help : <ScheduleWords text={text} timeZone={timeZone} />;
  return (
    <div className="flex flex-col gap-1.5">
      <SelectField
        {...field}
        hint={isTyped ? undefined : hint}
        error={isTyped ? undefined : error}
        value={isTyped ? other : text}
        placeholder="Not set"
        options={[
          ...scheduleOptions.map((option) => ({
            value: option,
            label: `${scheduleInWords(option) ?? option} (${option})`,
          })),
          { value: other, label: "Another, typed" },
        ]}
        disabled={readOnly}
        onChange={(chosen) => {
          setIsTyped(chosen === other);
          if (chosen !== other) edit(chosen);
        }}
      />
      {isTyped && (
        <TextField
          label={`${props.label}, typed`}
          hideLabel
          hint={hint}
          error={error}
          value={text}
          readOnly={readOnly}
          placeholder="*/5 * * * *"
          autoComplete="off"
          spellCheck={false}
          onChange={edit}
        />
      )}
    </div>
  );
}
