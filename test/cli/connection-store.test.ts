import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StoredConnection } from '../../src/index.js';
import {
  isConnectionName,
  openConnectionFiles,
  storeForApp,
} from '../../src/tools/cli/connections/connection-store.js';
import { configFolder } from '../../src/tools/cli/connections/private-file.js';
import { writeApp } from '../app/temp-app.js';

const OWNER = { app: 'app', folder: '/apps/app', appIds: [] };

function storedWith(connection: Record<string, unknown>): StoredConnection {
  return {
    component: 'c',
    connection,
    parameters: {},
    metadata: { type: 'text', value: 'Ann' },
    uid: 7,
    expires: new Date(0),
    oauth: undefined,
    common: { id: 1 },
  };
}

const STORED = storedWith({ key: 'k', at: new Date(1), bytes: new Uint8Array([1, 2]), $date: 'no date' });

function newFolder(): string {
  return path.join(writeApp({ 'empty.txt': '' }), 'iml-runtime');
}

function entryFile(folder: string, name: string): string {
  return path.join(folder, 'connections', `${Buffer.from(name).toString('hex')}.sealed`);
}

describe('connections in files', () => {
  it('are restored with dates and bytes', async () => {
    const folder = newFolder();
    await openConnectionFiles(folder).write('Ünï code', STORED, OWNER);
    const entry = await openConnectionFiles(folder).read('Ünï code');
    expect(entry?.stored).toEqual(STORED);
    expect(entry?.owner).toEqual(OWNER);
  });

  it('are separate if names differ in case only, and listed by name', async () => {
    const files = openConnectionFiles(newFolder());
    for (const name of ['b', 'A', 'a']) await files.write(name, storedWith({ name }), OWNER);
    const { entries, unreadable } = await files.list();
    expect(unreadable).toEqual([]);
    expect(entries.map(({ name, stored }) => [name, stored.connection['name']])).toEqual([
      ['A', 'A'],
      ['a', 'a'],
      ['b', 'b'],
    ]);
  });

  it('are empty at first, and listing them creates no file', async () => {
    const folder = newFolder();
    const files = openConnectionFiles(folder);
    expect(await files.list()).toEqual({ entries: [], unreadable: [] });
    expect(await files.read('x')).toBeUndefined();
    expect(await files.remove('x')).toBe(false);
    expect(existsSync(folder)).toBe(false);
  });

  it.each([
    [
      'a changed byte',
      (text: string) =>
        text.replace(/^((?:[^.]*\.){3})(.)/, (_, head, c) => `${head}${c === 'A' ? 'B' : 'A'}`),
    ],
    ['a shortened tag', (text: string) => text.replace(/^([^.]*\.[^.]*\.)[^.]*/, '$1AAAA')],
    ['another version', (text: string) => text.replace('v1.', 'v2.')],
    ['no sealed text', () => 'x'],
    ['nothing', () => ''],
  ])('are refused after a change: %s', async (_title, change) => {
    const folder = newFolder();
    const files = openConnectionFiles(folder);
    await files.write('x', STORED, OWNER);
    const file = entryFile(folder, 'x');
    writeFileSync(file, change(readFileSync(file, 'utf8')));
    await expect(files.read('x')).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(await files.list()).toMatchObject({ entries: [], unreadable: [{ code: 'STORE_FAILED' }] });
  });

  it('are refused if their files are swapped', async () => {
    const folder = newFolder();
    const files = openConnectionFiles(folder);
    await files.write('x', STORED, OWNER);
    renameSync(entryFile(folder, 'x'), entryFile(folder, 'y'));
    await expect(files.read('y')).rejects.toMatchObject({ code: 'STORE_FAILED' });
  });

  it('are refused with another key', async () => {
    const folder = newFolder();
    await openConnectionFiles(folder).write('x', STORED, OWNER);
    writeFileSync(path.join(folder, 'connections.key'), Buffer.alloc(32, 1).toString('base64'));
    await expect(openConnectionFiles(folder).read('x')).rejects.toMatchObject({ code: 'STORE_FAILED' });
  });

  it.runIf(process.getuid !== undefined)(
    'are refused where others could read the key or the file',
    async () => {
      const folder = newFolder();
      const files = openConnectionFiles(folder);
      await files.write('x', STORED, OWNER);
      chmodSync(entryFile(folder, 'x'), 0o644);
      await expect(files.read('x')).rejects.toThrow('can be read by others');
      chmodSync(entryFile(folder, 'x'), 0o600);
      chmodSync(path.join(folder, 'connections.key'), 0o640);
      await expect(files.read('x')).rejects.toThrow('can be read by others');
    },
  );

  it.runIf(process.getuid !== undefined)('are refused where the key is a link', async () => {
    const folder = newFolder();
    await openConnectionFiles(folder).write('x', STORED, OWNER);
    const key = path.join(folder, 'connections.key');
    renameSync(key, `${key}.old`);
    symlinkSync(`${key}.old`, key);
    await expect(openConnectionFiles(folder).read('x')).rejects.toMatchObject({ code: 'STORE_FAILED' });
  });

  it('share one key, which is created once', async () => {
    const folder = newFolder();
    const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
    await Promise.all(names.map((name) => openConnectionFiles(folder).write(name, STORED, OWNER)));
    const { entries, unreadable } = await openConnectionFiles(folder).list();
    expect([entries.length, unreadable]).toEqual([20, []]);
    expect(readdirSync(folder).sort()).toEqual(['connections', 'connections.key']);
  });

  it('are written atomically', async () => {
    const folder = newFolder();
    const files = openConnectionFiles(folder);
    await files.write('x', storedWith({ round: 0 }), OWNER);
    const writes = Array.from({ length: 30 }, (_, round) =>
      files.write('x', storedWith({ round, fill: 'x'.repeat(50_000) }), OWNER),
    );
    const reads = Array.from({ length: 30 }, () => files.read('x'));
    await Promise.all(writes);
    expect((await Promise.all(reads)).every((entry) => entry !== undefined)).toBe(true);
    expect(readdirSync(path.join(folder, 'connections'))).toHaveLength(1);
  });

  it('are locked during a change', async () => {
    const folder = newFolder();
    await openConnectionFiles(folder).write('x', STORED, OWNER);
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      inside++;
      most = Math.max(most, inside);
      await new Promise((resolve) => setTimeout(resolve, 5));
      inside--;
    };
    await Promise.all([1, 2, 3, 4].map(() => openConnectionFiles(folder).exclusively('x', work)));
    expect(most).toBe(1);
    expect(readdirSync(path.join(folder, 'connections'))).toHaveLength(1);
  });

  it('are unlocked after a failure and after the death of a process', async () => {
    const folder = newFolder();
    const files = openConnectionFiles(folder);
    expect(await files.exclusively('x', async () => 'without a folder')).toBe('without a folder');
    await files.write('x', STORED, OWNER);
    await expect(files.exclusively('x', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    // No process has this ID: it exceeds the maximum of operating systems.
    writeFileSync(`${entryFile(folder, 'x')}.lock`, '999999999', { mode: 0o600 });
    expect(await files.exclusively('x', async () => 'done')).toBe('done');
  });

  it('keep their app when a run saves them', async () => {
    const folder = newFolder();
    const files = openConnectionFiles(folder);
    await files.write('x', STORED, OWNER);
    const renamed = storeForApp(files, { ...OWNER, app: 'renamed' });
    expect(await renamed.get('x')).toEqual(STORED);
    await renamed.save('x', storedWith({ key: 'new' }));
    expect(await files.read('x')).toMatchObject({ owner: OWNER, stored: { connection: { key: 'new' } } });
    for (const other of [
      { app: 'b', folder: '/b', appIds: [] },
      { ...OWNER, folder: '/elsewhere' },
    ]) {
      await expect(storeForApp(files, other).get('x')).rejects.toThrow('Other apps cannot use it');
    }
  });

  it('of an app without IDs store its IDs when they are saved', async () => {
    const folder = newFolder();
    const files = openConnectionFiles(folder);
    await files.write('x', STORED, OWNER);
    const named = { ...OWNER, appIds: ['crm'] };
    const store = storeForApp(files, named);
    expect(await store.get('x')).toEqual(STORED);
    await store.save('x', STORED);
    expect((await files.read('x'))?.owner).toEqual(named);
    const other = storeForApp(files, { ...OWNER, appIds: ['other'] });
    await expect(other.get('x')).rejects.toThrow('Other apps cannot use it');
  });

  it('are files that only their owner can read', async () => {
    const folder = newFolder();
    await openConnectionFiles(folder).write('x', STORED, OWNER);
    const modes = [folder, path.join(folder, 'connections.key'), entryFile(folder, 'x')].map((file) =>
      (statSync(file).mode & 0o777).toString(8),
    );
    if (process.getuid !== undefined) expect(modes).toEqual(['700', '600', '600']);
  });
});

describe('names of connections', () => {
  it.each(['work', 'my app-key', '2024_x', 'ann@example.test', 'Ünï'])('accepts %s', (name) => {
    expect(isConnectionName(name)).toBe(true);
  });

  it.each(['', ' x', '@file.json', '{"a":1}', '-x', '../x', 'a/b', 'a\nb', 'x'.repeat(65)])(
    'refuses %j',
    (name) => {
      expect(isConnectionName(name)).toBe(false);
    },
  );
});

describe('the folder of the user', () => {
  it.each([
    [{ XDG_CONFIG_HOME: '/cfg', HOME: '/home/u' }, 'linux', '/cfg/iml-runtime'],
    [{ XDG_CONFIG_HOME: 'relative', HOME: '/home/u' }, 'linux', '/home/u/.config/iml-runtime'],
    [{ HOME: '/home/u', APPDATA: '/data' }, 'darwin', '/home/u/.config/iml-runtime'],
    [{ HOME: '/home/u', APPDATA: '/data', XDG_CONFIG_HOME: '/cfg' }, 'win32', '/data/iml-runtime'],
  ])('of %j on %s is %s', (env, platform, folder) => {
    expect(configFolder(env, platform)).toBe(path.normalize(folder));
  });
});
