/**
 * Last words of the keys of labels, tags, annotations and properties that say who answers for an item, in letters alone. The
 * database keeps owners by the same words (`owners_of`): others need a migration that fills them anew.
 */
export const ownerKeys = [
  "owner",
  "ownedby",
  "owners",
  "team",
  "ownerteam",
  "teamname",
  "maintainer",
] as const;
