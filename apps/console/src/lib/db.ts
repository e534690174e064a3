import { ApiError } from "./api-error.ts";
import { request, type RequestOptions } from "./api.ts";

/** Rows of the data API (`/api/db`), which speaks PostgREST's dialect. */

export interface RowPage<T> {
  rows: T[];
  /** Rows there are in all. */
  total: number;
}

const representation = { Prefer: "return=representation" };

function rowsOf<T>(data: unknown, name: string): T[] {
  if (!Array.isArray(data))
    throw new ApiError(`The server sent no rows for ${name}.`, {
      status: 200,
      request: name,
      body: data,
    });
  return data as T[];
}

export async function listRows<T>(path: string, options?: RequestOptions): Promise<T[]> {
  const { data } = await request(`/api/db/${path}`, { headers: representation, ...options });
  return rowsOf<T>(data, path.split("?")[0] ?? path);
}

/** One page of rows and how many there are. */
export async function pageRows<T>(path: string, options?: RequestOptions): Promise<RowPage<T>> {
  const { data, headers } = await request(`/api/db/${path}`, {
    headers: { Prefer: "count=exact" },
    ...options,
  });
  const rows = rowsOf<T>(data, path.split("?")[0] ?? path);
  const total = Number(headers.get("content-range")?.split("/")[1] ?? Number.NaN);
  return { rows, total: Number.isNaN(total) ? rows.length : total };
}

export async function firstRow<T>(path: string, options?: RequestOptions): Promise<T | null> {
  return (await listRows<T>(path, options))[0] ?? null;
}

/** Adds several rows at once, or none. */
export async function insertRows<T>(table: string, rows: readonly object[]): Promise<T[]> {
  const { data } = await request(`/api/db/${table}`, {
    method: "POST",
    body: rows,
    headers: representation,
  });
  return rowsOf<T>(data, table);
}

/** Removes the rows that the address names; rejects when there are none. */
export async function deleteRows<T>(path: string): Promise<T[]> {
  const name = path.split("?")[0] ?? path;
  const { data } = await request(`/api/db/${path}`, { method: "DELETE", headers: representation });
  const rows = rowsOf<T>(data, name);
  if (rows.length > 0) return rows;
  throw new ApiError("Nothing was removed: it does not exist any more, or you may not remove it.", {
    status: 404,
    request: `DELETE ${name}`,
  });
}

async function write<T>(method: "POST" | "PATCH", path: string, body: unknown): Promise<T> {
  const { data } = await request(`/api/db/${path}`, { method, body, headers: representation });
  const [row] = rowsOf<T>(data, path.split("?")[0] ?? path);
  if (row === undefined) {
    throw new ApiError(
      "Nothing was changed: it does not exist any more, or you may not change it.",
      {
        status: 404,
        request: `${method} ${path.split("?")[0] ?? path}`,
      },
    );
  }
  return row;
}

export const insertRow = <T>(table: string, row: object): Promise<T> =>
  write<T>("POST", table, row);
export const patchRow = <T>(path: string, changes: object): Promise<T> =>
  write<T>("PATCH", path, changes);
