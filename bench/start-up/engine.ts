import { createEngine, defineApp } from '../../src/index.js';
import { contactsApp } from '../pages/contacts-app.js';

/** The same by a module of an app. */
const { origin, pathname } = new URL(process.argv[2] ?? '');
const app = defineApp(contactsApp(origin, pathname.split('/')[1] ?? ''));
const engine = createEngine({ app, network: { allow: ['loopback'] } });
for await (const bundle of engine.module('listContacts').run()) {
  console.log(JSON.stringify(bundle));
  break;
}
await engine.close();
