import { contactOf, type PageBody } from '../pages/records.js';

/** Reads one page with `fetch`. */
const response = await fetch(process.argv[2] ?? '');
const page = (await response.json()) as PageBody;
console.log(JSON.stringify(page.items.map(contactOf)[0]));
