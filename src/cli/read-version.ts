import { createRequire } from 'node:module';

/** The version of this package. It refers to itself by name, so it does not matter where the build lies. */
export function readVersion(): string {
  const { version } = createRequire(import.meta.url)('iml-runtime/package.json') as { version: string };
  return version;
}
