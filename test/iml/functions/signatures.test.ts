import { describe, expect, it } from 'vitest';
import { findSignature, printSignature, SIGNED_NAMES } from '../../../src/iml/functions/signatures.js';
import { FUNCTIONS } from '../../../src/iml/functions/table.js';

/** Built with the engine, as reading XML takes a library that the language does not import. */
const OF_THE_ENGINE = ['createXML', 'parseXML'];

describe('signatures', () => {
  it('has one for every function, and for no other', () => {
    expect([...SIGNED_NAMES].sort()).toEqual(
      [...new Set([...Object.keys(FUNCTIONS), ...OF_THE_ENGINE])].sort(),
    );
  });

  it.each([
    ['formatDate', 'formatDate(date; [format]; [timezone])'],
    ['switch', 'switch(value; case; result; [more...])'],
    ['toString', 'toString(value; [encoding])'],
  ])('%s reads %s', (name, text) => {
    const signature = findSignature(name);
    expect(signature && printSignature(signature)).toBe(text);
  });

  it('tells arguments that may be left out, and those that may come again', () => {
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

  it.each(['constructor', 'nothing', '__proto__'])('%s is no function', (name) => {
    expect(findSignature(name)).toBeUndefined();
  });
});
