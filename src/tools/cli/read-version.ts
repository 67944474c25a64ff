import { createRequire } from 'node:module';

/** Version of this package. The self-reference works wherever the build is. */
export function readVersion(): string {
  const { version } = createRequire(import.meta.url)('iml-runtime/package.json') as { version: string };
  return version;
}
