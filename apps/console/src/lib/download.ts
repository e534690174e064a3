import { request, type RequestOptions } from "./api.ts";

export interface DownloadOptions extends Pick<RequestOptions, "signal" | "timeoutMs"> {
  /** Told how many bytes have come. */
  onProgress?: (bytes: number) => void;
}

/** Fetches a file, piece by piece. Rejects as `request` does, also when it is cut off in the middle. */
export async function download(path: string, options: DownloadOptions = {}): Promise<Blob> {
  const { onProgress, ...rest } = options;
  const read = async (response: Response): Promise<Blob | string> => {
    if (!response.ok) return response.text();
    const { body, headers } = response;
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    let bytes = 0;
    const reader = body?.getReader();
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
      pieces.push(piece.value);
      bytes += piece.value.length;
      onProgress?.(bytes);
    }
    return new Blob(pieces, { type: headers.get("content-type") ?? "" });
  };
  const { data } = await request(path, { ...rest, read });
  // It is what was read.
  return data as Blob;
}
