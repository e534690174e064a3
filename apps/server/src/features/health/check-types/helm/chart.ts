import { promisify } from "node:util";
import { gzip } from "node:zlib";

const pack = promisify(gzip);
const block = 512;

/** One file of a tar archive, as ustar lays it out. */
function entry(path: string, content: string): Buffer {
  const data = Buffer.from(content);
  const head = Buffer.alloc(block);
  head.write(path, 0, 100);
  head.write("0000644\0", 100);
  head.write("0000000\0", 108);
  head.write("0000000\0", 116);
  head.write(`${data.length.toString(8).padStart(11, "0")}\0`, 124);
  head.write("00000000000\0", 136);
  head.write("        ", 148);
  head.write("0", 156);
  head.write("ustar\u000000", 257);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  const padding = Buffer.alloc((block - (data.length % block)) % block);
  return Buffer.concat([head, data, padding]);
}

/** A chart that installs nothing, as `helm package` would pack it. */
export async function packChart({
  name,
  version,
}: {
  name: string;
  version: string;
}): Promise<Buffer> {
  const chart = [
    "apiVersion: v1",
    `name: ${name}`,
    `version: ${version}`,
    "description: Put here by a check of Mainstay and deleted again.",
    "",
  ].join("\n");
  const archive = Buffer.concat([
    entry(`${name}/Chart.yaml`, chart),
    entry(`${name}/values.yaml`, "{}\n"),
    entry(`${name}/templates/NOTES.txt`, "Nothing is installed.\n"),
    Buffer.alloc(2 * block),
  ]);
  return pack(archive);
}
