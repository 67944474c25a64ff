import http from 'node:http';
import { contactOf, type PageBody } from '../pages/records.js';

/** Reads one page with node:http: the minimum. */
http.get(process.argv[2] ?? '', (response) => {
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  response.on('end', () => {
    const page = JSON.parse(Buffer.concat(chunks).toString('utf8')) as PageBody;
    console.log(JSON.stringify(page.items.map(contactOf)[0]));
  });
});
