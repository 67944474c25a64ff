import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

type Parts = Readonly<Record<string, unknown>>;

/** An app as `defineApp` takes it. */
export type AppSpec = Readonly<{ name: string; base?: unknown } & Record<string, unknown>>;

const KINDS = {
  connections: 'connection',
  webhooks: 'webhook',
  modules: 'module',
  rpcs: 'rpc',
  functions: 'function',
  endpoints: 'endpoint',
} as const;

const METADATA = ['label', 'description', 'connection', 'altConnection', 'webhook'];

/** Writes an app into a folder, as the editor clones it: a manifest and a file per part. */
export function writeAppFolder(folder: string, app: AppSpec): void {
  const components = Object.fromEntries(
    Object.entries(KINDS).map(([member, kind]) => [
      kind,
      Object.fromEntries(
        Object.entries((app[member] ?? {}) as Readonly<Record<string, Parts>>).map(([name, parts]) => [
          name,
          writeComponent(folder, member, name, parts),
        ]),
      ),
    ]),
  );
  const general = { base: 'general/base.iml.json' };
  write(folder, general.base, app.base ?? {});
  write(folder, 'makecomapp.json', { fileVersion: 1, generalCodeFiles: general, components, origins: [] });
}

function writeComponent(folder: string, member: string, name: string, parts: Parts): object {
  const kind = member.slice(0, -1);
  const codeFiles: Record<string, string> = {};
  const record: Record<string, unknown> = { label: name };
  const types: Parts = { module: 'action', connection: 'basic', webhook: 'web' };
  if (types[kind] !== undefined) record[`${kind}Type`] = parts['type'] ?? types[kind];
  for (const [part, value] of Object.entries(parts)) {
    if (part === 'type') continue;
    if (METADATA.includes(part)) {
      record[part] = value;
      continue;
    }
    const file = `${member}/${name}/${name}.${part}${typeof value === 'string' ? '.js' : '.iml.json'}`;
    codeFiles[part] = file;
    write(folder, file, value);
  }
  return { ...record, codeFiles };
}

function write(folder: string, file: string, value: unknown): void {
  const target = path.join(folder, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, typeof value === 'string' ? value : `${JSON.stringify(value, null, 2)}\n`);
}
