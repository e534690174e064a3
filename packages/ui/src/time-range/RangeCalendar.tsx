import { DayPicker } from "react-day-picker";
import "./range-calendar.css";

// The day must be in the name as it is written on the button.
const dayName = new Intl.DateTimeFormat("en-GB", { dateStyle: "full" });

export interface RangeCalendarProps {
  from: Date | undefined;
  to: Date | undefined;
  onChange: (from: Date | undefined, to: Date | undefined) => void;
}

export function RangeCalendar({ from, to, onChange }: RangeCalendarProps) {
  return (
    <DayPicker
      mode="range"
      weekStartsOn={1}
      {...(from ? { defaultMonth: from } : {})}
      selected={{ from, to }}
      labels={{ labelDayButton: (date) => dayName.format(date) }}
      onSelect={(range) => onChange(range?.from, range?.to)}
    />
  );
}
