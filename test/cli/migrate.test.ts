import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadApp } from '../../src/index.js';
import { writeApp } from '../app/temp-app.js';
import { type CliResult, cli } from './fake-io.js';

const iml = (folder: string, ...args: readonly string[]): Promise<CliResult> =>
  cli(['migrate', folder, ...args], { cwd: folder });

const names = async (folder: string): Promise<unknown> => {
  const { modules, connections, rpcs, webhooks } = await loadApp(folder);
  const facts = [...modules.values()].map(({ name, type, connection, communication }) => ({
    name,
    type,
    connection,
    communication: communication?.value,
  }));
  return {
    facts,
    connections: [...connections.keys()],
    rpcs: [...rpcs.keys()],
    webhooks: [...webhooks.keys()],
  };
};

describe('iml migrate', () => {
  it('writes a manifest for an exported app, which then loads as before', async () => {
    const folder = writeApp({
      'base.imljson': { baseUrl: 'https://x.test' },
      'readme.md': '# X',
      'connection/mine/metadata.json': { name: 'mine', label: 'Mine', type: 'oauth' },
      'connection/mine/api.imljson': { token: { url: 'https://x.test/t' } },
      'connection/mine/install.imljson': {},
      'rpc/listThings/metadata.json': { name: 'listThings', label: 'List', connection: 'mine' },
      'rpc/listThings/api.imljson': { url: '/things' },
      'module/getThing/metadata.json': { name: 'getThing', label: 'Get', type: 'action', connection: 'mine' },
      'module/getThing/api.imljson': { url: '/thing' },
      'module/getThing/expect.imljson': [],
    });
    const before = await names(folder);
    const planned = await iml(folder);
    expect(planned).toMatchObject({ code: 1, err: expect.stringContaining('Add --yes') });
    expect(planned.out).toContain('adds module getThing');
    expect(existsSync(path.join(folder, 'makecomapp.json'))).toBe(false);
    expect((await iml(folder, '--yes')).code).toBe(0);
    expect(await names(folder)).toEqual(before);
    const manifest = JSON.parse(readFileSync(path.join(folder, 'makecomapp.json'), 'utf8'));
    expect(manifest.generalCodeFiles).toMatchObject({
      base: 'base.imljson',
      readme: 'readme.md',
      common: null,
    });
    expect(manifest.components.connection.mine.codeFiles.installDirectives).toBe(
      'connection/mine/install.imljson',
    );
    expect(await iml(folder)).toMatchObject({ code: 0, err: 'The manifest is up to date.\n' });
  });

  it('brings an old manifest up to date and keeps its comments', async () => {
    const folder = writeApp({
      'a.json': { url: 'https://x.test' },
      'makecomapp.json': `// Ours.
{
  "generalCodeFiles": { "base": null, "common": null, "readme": null, "groups": null },
  "components": { "module": { "getThing": { "moduleSubtype": "search", "codeFiles": { "communication": "a.json" } } } },
  "origins": [{ "baseUrl": "https://eu1.make.com/api", "appId": "x", "idMapping": { "module": [] } }]
}
`,
    });
    expect((await iml(folder, '--yes')).code).toBe(0);
    const text = readFileSync(path.join(folder, 'makecomapp.json'), 'utf8');
    expect(text).toMatch(/^\/\/ Ours\./);
    const manifest = JSON.parse(text.replace(/^.*\n/, ''));
    expect(manifest).toMatchObject({
      fileVersion: 1,
      components: { endpoint: {}, module: { getThing: { moduleType: 'search' } } },
      origins: [{ idMapping: { endpoint: [], rpc: [] } }],
    });
    expect(text).not.toContain('moduleSubtype');
    expect(await iml(folder)).toMatchObject({ code: 0, err: 'The manifest is up to date.\n' });
  });

  it('adds a row for a component that the manifest does not name', async () => {
    const folder = writeApp({
      'makecomapp.json': { fileVersion: 1, generalCodeFiles: {}, components: {}, origins: [] },
      'modules/get-thing/get-thing.communication.iml.jsonc': { url: 'https://x.test' },
    });
    expect((await iml(folder, '--yes')).out).toContain('adds module getThing');
    const { modules, warnings } = await loadApp(folder);
    expect([...modules.keys()]).toEqual(['getThing']);
    expect(warnings.map(({ code }) => code)).not.toContain('undeclared-component');
  });
});
