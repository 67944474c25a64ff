import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { loadApp } from '../../src/index.js';
import { listDocuments } from '../../src/tools/check/subject/checked-document.js';
import { chooseSchema, listSchemas, makeSchema } from '../../src/tools/lsp/list-schemas.js';
import { CORPUS, CORPUS_APPS } from '../corpus.js';

const ajv = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true });
const ajv2020 = new Ajv2020({ strict: false });
for (const keyword of ['markdownDescription', 'allowComments', 'allowTrailingCommas'])
  ajv.addKeyword(keyword);

const schemas = await listSchemas();

describe('JSON Schemas', () => {
  it.each(schemas)('$name is a schema, and every member is described', ({ name, schema, title }) => {
    // Cases of tests are written for a later draft, by the runner that reads them.
    expect((name === 'test' ? ajv2020 : ajv).validateSchema(schema)).toBe(true);
    expect(schema['title']).toBe(title);
    const silent = undescribed(schema, '');
    expect(name === 'test' ? silent.filter((at) => at.split('/').length === 3) : silent).toEqual([]);
  });

  it('describe all members of a shape, at each level', async () => {
    const { definitions } = (await makeSchema('communication')) as {
      definitions: Record<string, { properties: Record<string, { description?: string }> }>;
    };
    expect(definitions['request']?.properties['repeat']?.description).toContain('Repeats the request');
    expect(definitions['trigger']?.properties['order']).toMatchObject({
      examples: ['asc', 'desc', 'unordered'],
    });
  });

  it.each([
    ['communication', { url: '/a', respones: {} }, '/', 'respones'],
    ['communication', { url: '/a', response: { pagination: {} } }, '/response', 'pagination'],
    ['scenarios', { scenarios: [{ name: 'a', everyMinute: 1 }] }, '/scenarios/0', 'everyMinute'],
    ['config', { check: { rules: { 'dead-branches': 'off' } } }, '/check/rules', 'dead-branches'],
    ['manifest', { components: { modules: {} } }, '/components', 'modules'],
  ] as const)('%s refuses a member nobody reads', async (name, value, _at, member) => {
    const validate = ajv.compile(await makeSchema(name));
    expect(validate(value)).toBe(false);
    const named = validate.errors?.map(
      ({ params }) => (params as { additionalProperty?: string }).additionalProperty,
    );
    expect(named).toContain(member);
  });
});

/** Members without a description. */
function undescribed(schema: unknown, at: string): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) => {
    const here = `${at}/${key}`;
    if (key !== 'properties' || typeof value !== 'object' || value === null) return undescribed(value, here);
    return Object.entries(value as Record<string, { description?: string }>).flatMap(([name, member]) =>
      member.description === undefined ? [`${here}/${name}`] : undescribed(member, `${here}/${name}`),
    );
  });
}

describe('apps of the corpus', () => {
  it.each(CORPUS_APPS)('%s: schemas refuse exactly the members that loading warns about', async (folder) => {
    const app = await loadApp(path.join(CORPUS, folder));
    const warned = new Set(app.warnings.map(({ place }) => place.file));
    for (const checked of listDocuments(app)) {
      const name = chooseSchema(checked);
      const { document } = checked;
      if (
        name === undefined ||
        (typeof document.value === 'object' &&
          document.value !== null &&
          Object.keys(document.value).length === 0)
      )
        continue;
      const validate = ajv.compile(await makeSchema(name));
      if (!validate(document.value) && !warned.has(document.file)) {
        expect([document.file, validate.errors]).toEqual([]);
      }
    }
    const manifest = ajv.compile(await makeSchema('manifest'));
    const text = readFileSync(path.join(CORPUS, folder, 'makecomapp.json'), 'utf8');
    if (!manifest(JSON.parse(text)) && !warned.has('makecomapp.json')) expect(manifest.errors).toEqual([]);
  });
});
