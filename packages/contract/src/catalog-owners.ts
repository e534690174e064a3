/** Last words of the keys of labels, tags, annotations and properties that say who answers for an item, in letters alone. */
export const ownerKeys = [
  "owner",
  "ownedby",
  "owners",
  "team",
  "ownerteam",
  "teamname",
  "maintainer",
] as const;
