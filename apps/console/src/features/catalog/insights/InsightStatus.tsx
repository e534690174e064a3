import { Badge } from "@mainstay/ui/Badge.tsx";

const meanings: Readonly<Record<string, string>> = {
  resolved: "Its scraper does not see it any more",
  silenced: "Somebody does not want to see it",
};

/** Whether an insight still holds; of one that does there is nothing more to say. */
export function InsightStatus({ status }: { status: string | null }) {
  const word = status ?? "open";
  const meaning = meanings[word];
  return meaning === undefined ? word : <Badge tooltip={meaning}>{word}</Badge>;
}
