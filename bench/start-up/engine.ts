import { createEngine, defineApp } from 'iml-runtime';
import { contactsApp } from '../pages/contacts-app.js';

/** The same by a module of an app. The package is imported by its name, which gives the files that its users get, as built. */
const { origin, pathname } = new URL(process.argv[2] ?? '');
const app = defineApp(contactsApp(origin, pathname.split('/')[1] ?? ''));
const engine = createEngine({ app, http: { allow: ['loopback'] } });
for await (const bundle of engine.module('listContacts').run()) {
  console.log(JSON.stringify(bundle));
  break;
}
await engine.close();
