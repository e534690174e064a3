/** What texts of documents are kept in. */
export const isDocumentFile = ({ name }: Pick<File, "name">): boolean =>
  /\.(ya?ml|json)$/i.test(name);

/** Everything that was dropped, with what is in folders, in the order of their paths. Asked while the event lasts. */
export async function filesIn({ items, files }: DataTransfer): Promise<File[]> {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry?.() ?? []);
  if (entries.length === 0) return [...files];
  const found = (await Promise.all(entries.map(readEntry))).flat();
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1)).map(({ file }) => file);
}

async function readEntry(entry: FileSystemEntry): Promise<{ path: string; file: File }[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    return [{ path: entry.fullPath, file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const inner: FileSystemEntry[] = [];
  for (;;) {
    // A part at a time.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (part.length === 0) break;
    inner.push(...part);
  }
  return (await Promise.all(inner.map(readEntry))).flat();
}
