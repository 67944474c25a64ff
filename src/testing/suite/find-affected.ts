import path from 'node:path';
import { loadApp } from '../../app/loading/load-app.js';
import type { App } from '../../document/app.js';
import { bodiesFolder } from '../cases/body-files.js';
import type { TestPlace } from './find-tests.js';
import { openCase } from './open-case.js';

/**
 * The tests that changed files affect: a case itself, the cases of a component, or all tests of the app.
 *
 * @param changed absolute paths
 */
export async function findAffected(place: TestPlace, changed: readonly string[]): Promise<TestPlace> {
  const { root, caseFiles, testFolders } = place;
  const cases = new Set<string>();
  const functionTests: string[] = [];
  const ofApp: string[] = [];
  for (const file of changed) {
    const own = caseFiles.find((other) => other === file || file.startsWith(bodiesFolder(other) + path.sep));
    if (own !== undefined) cases.add(own);
    else if (file.endsWith('.test.js')) functionTests.push(file);
    else if (!testFolders.some((folder) => file.startsWith(folder + path.sep))) ofApp.push(file);
  }
  const components = await componentsOf(root, ofApp);
  if (components === undefined) return place;
  for (const file of components.size === 0 ? [] : caseFiles) {
    const reading = await openCase(file, testFolders);
    const component = reading.ok ? reading.case.played.component : undefined;
    const name = typeof component === 'object' ? `${component.type}:${component.name}` : component;
    if (name === undefined || components.has(name)) cases.add(file);
  }
  return { ...place, caseFiles: caseFiles.filter((file) => cases.has(file)), functionTests };
}

/** The components of files; undefined if a file belongs to all, or the app does not load. */
async function componentsOf(
  root: string,
  files: readonly string[],
): Promise<ReadonlySet<string> | undefined> {
  const found = new Set<string>();
  if (files.length === 0) return found;
  const app = await loadApp(root).catch(() => undefined);
  if (app === undefined) return undefined;
  const owners = listOwners(app);
  for (const file of files) {
    const own = owners.get(path.relative(root, file).split(path.sep).join('/'));
    if (own === undefined) return undefined;
    for (const component of own) found.add(component);
  }
  return found;
}

/** Components by document file. */
function listOwners({ modules, rpcs, connections, webhooks }: App): ReadonlyMap<string, readonly string[]> {
  const owners = new Map<string, string[]>();
  const add = (type: string, components: ReadonlyMap<string, object>): void => {
    for (const [name, component] of components) {
      for (const part of Object.values(component)) {
        const file: unknown =
          typeof part === 'object' && part !== null && 'file' in part ? part.file : undefined;
        if (typeof file === 'string') owners.set(file, [...(owners.get(file) ?? []), `${type}:${name}`]);
      }
    }
  };
  add('module', modules);
  add('rpc', rpcs);
  add('connection', connections);
  add('webhook', webhooks);
  return owners;
}
