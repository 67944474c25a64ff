import { createEngine } from '../../src/engine/create-engine.js';
import { defineApp } from '../../src/engine/loading/define-app.js';
import { contactsApp } from '../pages/contacts-app.js';
import { SIZE } from '../pages/start-server.js';
import { liveBytes } from './live-heap.js';

/** Keeps all bundles of a run and prints the bytes in use at the end. */
const [, , origin = '', expected = ''] = process.argv;

const app = defineApp(contactsApp(origin, SIZE));

/** The first bundles of a run. */
async function collect(maxBundles: number): Promise<readonly unknown[]> {
  const engine = createEngine({ app, http: { allow: ['loopback'] } });
  const bundles: unknown[] = [];
  for await (const bundle of engine.module('listContacts').run()) {
    bundles.push(bundle);
    if (bundles.length === maxBundles) break;
  }
  await engine.close();
  return bundles;
}

// Excludes memory that all runs share.
await collect(1);
const before = liveBytes();
const bundles = await collect(Number.POSITIVE_INFINITY);
const after = liveBytes();
console.log(bundles.length === Number(expected) ? after - before : 'A bundle was lost.');
