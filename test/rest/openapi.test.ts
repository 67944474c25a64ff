import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { createOpenApi } from '../../src/rest/call/openapi.js';
import { OPERATIONS } from '../../src/rest/operations.js';
import { ROWS, type TableRows } from '../../src/rest/store/rows.js';
import { startTestServer } from './test-server.js';

const document = createOpenApi(OPERATIONS, {
  baseUrl: 'https://a.example/api/v2',
  authUrl: 'https://a.example/auth',
});

describe('the OpenAPI document', () => {
  it('is valid', async () => {
    const result = await new Validator().validate(structuredClone(document));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
  });

  it('lists every operation of the table once', () => {
    const ids = Object.values(document['paths'] ?? {}).flatMap((path: object) =>
      Object.values(path).flatMap((it: { operationId?: string }) => it.operationId ?? []),
    );
    expect(ids.sort()).toEqual(OPERATIONS.map((it) => it.id).sort());
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has every resource and operation that a column of the store names', () => {
    const tables: Readonly<Record<string, TableRows>> = ROWS;
    const columns = Object.values(tables).flatMap((table) => Object.values(table.columns));
    const titles = new Set(
      [...JSON.stringify(document).matchAll(/"title":"(\w+)"/g)].map(([, title]) => title),
    );
    const shown = columns.flatMap((column) => Object.keys(column.shown ?? {}));
    const sent = columns.flatMap((column) => Object.keys(column.sent ?? {}));
    expect(shown.filter((title) => !titles.has(title))).toEqual([]);
    expect(sent.filter((id) => !OPERATIONS.some((operation) => operation.id === id))).toEqual([]);
  });

  it('declares the scopes of the specification', () => {
    const scopes = Object.fromEntries(OPERATIONS.map((it) => [`${it.method} ${it.path}`, it.scopes]));
    const base = '/organizations/{organizationId}';
    const reads = [
      '/organizations',
      '/organizations/invitation',
      base,
      `${base}/apps`,
      `${base}/payments`,
      `${base}/subscription`,
    ];
    for (const path of reads) expect(scopes[`GET ${path}`]).toEqual(['organizations:read']);
    expect(scopes['POST /organizations']).toEqual(['admin:write', 'organizations:write']);
    const writes = [
      'POST /organizations/accept-invitation',
      `PATCH ${base}`,
      `DELETE ${base}`,
      `POST ${base}/subscription`,
      `PATCH ${base}/subscription`,
      `DELETE ${base}/subscription`,
      `POST ${base}/subscription/pause`,
      `POST ${base}/subscription/unpause`,
    ];
    for (const key of writes) expect(scopes[key]).toEqual(['organizations:write']);
  });

  it('is served below the base address and at the root', async () => {
    const stage = await startTestServer();
    for (const path of ['/openapi.json', '/api/v2/openapi.json']) {
      const response = await fetch(stage.server.origin + path);
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' } });
    }
    await stage.close();
  });
});

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/rest.md'), 'utf8');

/** The expected table row of an operation: `| GET | /ping | Answers. | none |`. */
function rowOf({
  method,
  path,
  summary,
  scopes,
  authentication,
  administrators,
}: (typeof OPERATIONS)[number]): string {
  const needs = [
    ...(authentication === 'none' ? ['no token'] : []),
    ...scopes.map((scope) => `\`${scope}\``),
    ...(administrators === true ? ['administrator'] : []),
  ];
  return `| ${method} | \`${path}\` | ${summary} | ${needs.join(', ')} |`;
}

describe('docs/rest.md', () => {
  it('lists every operation and no others', () => {
    const rows = PAGE.split('\n').filter((line) => /^\| (?:GET|POST|PUT|PATCH|DELETE) \|/.test(line));
    expect(rows).toEqual(OPERATIONS.map(rowOf));
  });
});
