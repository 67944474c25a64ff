import got from 'got';
import { Pool } from 'undici';
import { createEngine } from '../../src/engine/create-engine.js';
import { defineApp } from '../../src/engine/loading/define-app.js';
import { contactsApp } from './contacts-app.js';
import { type Contact, contactOf, type PageBody } from './records.js';

/** Reads all pages of the API and maps their records. */
export interface PageReader {
  readonly name: string;
  readonly read: () => Promise<readonly unknown[]>;
  readonly close: () => Promise<void>;
}

/** Reads pages until `next` is null. */
async function readAll(fetchPage: (page: number) => Promise<PageBody>): Promise<Contact[]> {
  const contacts: Contact[] = [];
  for (let page: number | null = 1; page !== null; ) {
    const body: PageBody = await fetchPage(page);
    for (const record of body.items) contacts.push(contactOf(record));
    page = body.next;
  }
  return contacts;
}

/** The minimum: an undici `Pool` and a loop. */
export function nativeReader(origin: string, size: string): PageReader {
  const pool = new Pool(origin);
  const fetchPage = async (page: number): Promise<PageBody> => {
    const { body } = await pool.request({ method: 'GET', path: `/${size}/contacts?page=${page}` });
    return (await body.json()) as PageBody;
  };
  return { name: 'undici Pool', read: () => readAll(fetchPage), close: () => pool.close() };
}

export function fetchReader(origin: string, size: string): PageReader {
  const fetchPage = async (page: number): Promise<PageBody> => {
    const response = await fetch(`${origin}/${size}/contacts?page=${page}`);
    return (await response.json()) as PageBody;
  };
  return { name: 'fetch', read: () => readAll(fetchPage), close: async () => {} };
}

export function gotReader(origin: string, size: string): PageReader {
  const url = (page: number): string => `${origin}/${size}/contacts?page=${page}`;
  const read = (): Promise<Contact[]> =>
    got.paginate.all<Contact, string>(url(1), {
      retry: { limit: 0 },
      pagination: {
        transform: ({ body }) => (JSON.parse(body) as PageBody).items.map(contactOf),
        paginate: ({ response }) => {
          const { next } = JSON.parse(response.body) as PageBody;
          return next === null ? false : { url: new URL(url(next)) };
        },
      },
    });
  return { name: 'got.paginate', read, close: async () => {} };
}

/** A search module of an app. */
export function engineReader(origin: string, size: string): PageReader {
  return createReader('iml-runtime', 'listContacts', origin, size);
}

function createReader(name: string, moduleName: string, origin: string, size: string): PageReader {
  const app = defineApp(contactsApp(origin, size));
  const limits = { maxPages: 1000, maxRequests: 2000, maxRecords: 1_000_000 };
  const engine = createEngine({ app, http: { allow: ['loopback'] }, limits });
  const module = engine.module(moduleName);
  const read = async (): Promise<readonly unknown[]> => (await module.run().orThrow()).bundles;
  return { name, read, close: engine.close };
}
