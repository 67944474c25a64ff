import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findSignature, printSignature, SIGNED_NAMES } from '../../../src/language/functions/signatures.js';
import { functions } from '../../../src/language/index.js';

/** Functions of the engine, because XML needs a library that the language does not import. */
const ENGINE_FUNCTIONS = ['createXML', 'parseXML'];

describe('signatures', () => {
  it('exist for exactly the functions of the language and the engine', () => {
    expect([...SIGNED_NAMES].sort()).toEqual(
      [...new Set([...Object.keys(functions), ...ENGINE_FUNCTIONS])].sort(),
    );
  });

  it('have at least one vector each', () => {
    const folder = path.join(import.meta.dirname, '../../../spec-fixtures/iml');
    const tested = readdirSync(folder).flatMap((file) =>
      (JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as readonly { fn?: string }[]).map(
        ({ fn }) => fn,
      ),
    );
    expect(SIGNED_NAMES.filter((name) => !tested.includes(name))).toEqual([]);
  });

  it.each([
    ['formatDate', 'formatDate(date; [format]; [timezone])'],
    ['switch', 'switch(value; case; result; [more...])'],
    ['toString', 'toString(value; [encoding])'],
  ])('print %s as %s', (name, text) => {
    const signature = findSignature(name);
    expect(signature && printSignature(signature)).toBe(text);
  });

  it('mark optional and rest parameters', () => {
    expect(findSignature('add')?.parameters).toEqual([
      { name: 'array', kind: 'array', isOptional: false, isRest: false },
      { name: 'values', kind: 'any', isOptional: true, isRest: true },
    ]);
    expect(findSignature('split')?.parameters).toMatchObject([
      { name: 'text', isOptional: false },
      { name: 'separator', isOptional: false },
      { name: 'keepEmpty', isOptional: true, isRest: false },
    ]);
  });

  it.each(['constructor', 'nothing', '__proto__'])('are undefined for %s', (name) => {
    expect(findSignature(name)).toBeUndefined();
  });
});
