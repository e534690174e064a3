/** Hands something to the browser as a file. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The download has taken the address over by the time other work is done.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
