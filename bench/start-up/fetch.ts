import { contactOf, type PageBody } from '../pages/records.js';

/** The same by `fetch`. */
const response = await fetch(process.argv[2] ?? '');
const page = (await response.json()) as PageBody;
console.log(JSON.stringify(page.items.map(contactOf)[0]));
