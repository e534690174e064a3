/** What people are told of one kind. */
const most = 100;

/** The first of what there is to say, and how much more there is: what finds thousands may have as many mistakes. */
export const tellFirst = (said: readonly string[]): string[] =>
  said.length > most
    ? [...said.slice(0, most), `There are ${said.length - most} more like these.`]
    : [...said];
