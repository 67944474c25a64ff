import { defineApp } from '../../src/engine/assembling/define-app.js';
import { createEngine } from '../../src/engine/create-engine.js';
import { contactsApp } from '../pages/contacts-app.js';
import { SIZE } from '../pages/start-server.js';
import { liveBytes } from './live-heap.js';

/** Keeps every bundle of a run, as a consumer would who writes them out later, and prints the bytes in use at the end. */
const [, , origin = '', wanted = ''] = process.argv;

const app = defineApp(contactsApp(origin, SIZE));

/** The bundles of a run, at most so many. */
async function consume(most: number): Promise<readonly unknown[]> {
  const engine = createEngine({ app, http: { allow: ['loopback'] } });
  const bundles: unknown[] = [];
  for await (const bundle of engine.module('listContacts').run()) {
    bundles.push(bundle);
    if (bundles.length === most) break;
  }
  await engine.close();
  return bundles;
}

// What is loaded and kept once for all is no part of a run.
await consume(1);
const before = liveBytes();
const bundles = await consume(Number.POSITIVE_INFINITY);
const after = liveBytes();
console.log(bundles.length === Number(wanted) ? after - before : 'lost');
