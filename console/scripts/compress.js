// Writes a brotli and a gzip version beside each file of dist, so that the service never compresses.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const dist = new URL("../dist/", import.meta.url).pathname;
const compressible = /\.(js|css|svg|json)$/;

for (const name of readdirSync(dist, { recursive: true })) {
  if (!compressible.test(name)) {
    continue;
  }
  const file = join(dist, name);
  const content = readFileSync(file);
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
  writeFileSync(`${file}.br`, brotliCompressSync(content, brotli));
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
}
