import path from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { compileTestedSchema } from '../../src/schema/compile-schema.js';
import { type SchemaCheck, toCheck } from '../../src/schema/schema-check.js';
import { writeCheck } from '../../src/schema/write-check.js';
import { CASE_SCHEMA } from '../../src/testing/cases/case-shape.js';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** The check as a build has it. */
async function readWritten(): Promise<SchemaCheck> {
  const contents = writeCheck(CASE_SCHEMA, './src/schema/formats.ts');
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: ROOT },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
  const { default: validate } = await import(`data:text/javascript;base64,${code}`);
  return toCheck(validate);
}

describe('generated code of a schema', () => {
  const written = readWritten();
  const compiled = compileTestedSchema(CASE_SCHEMA);

  it.each([
    ['a case', { component: 'module:list', expect: { bundles: [] } }],
    ['nothing', {}],
    ['what is to be recorded', { component: 'module:list', record: true }],
    ['a misspelt member', { component: 'module:list', expcet: {}, expect: { bundels: [] } }],
    ['a component of no type', { component: 'modul:list', expect: {} }],
    ['a date that is none', { component: 'module:list', input: {}, now: '2026-02-30T00:00:00Z', expect: {} }],
    ['an empty name', { name: '', component: 'module:list', expect: {} }],
    [
      'exchanges that are none',
      { exchanges: [1, { request: 1 }, { response: { status: 'x' } }], expect: {} },
    ],
    ['secrets of other types', { secrets: { a: '', b: 1, c: [] }, expect: {} }],
    ['members of a prototype', { component: 'module:list', expect: {}, constructor: 1 }],
  ])('agrees with the compiled schema on %s', async (_, value) => {
    const check = await written;
    expect(check(value)).toEqual(compiled(value));
  });
});
