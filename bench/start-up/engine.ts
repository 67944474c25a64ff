import { createEngine, defineApp } from 'iml-runtime';
import { contactsApp } from '../pages/contacts-app.js';

/** Reads one page with a module of an app. Imports the built package by its name. */
const { origin, pathname } = new URL(process.argv[2] ?? '');
const app = defineApp(contactsApp(origin, pathname.split('/')[1] ?? ''));
const engine = createEngine({ app, http: { allow: ['loopback'] } });
for await (const bundle of engine.module('listContacts').run()) {
  console.log(JSON.stringify(bundle));
  break;
}
await engine.close();
