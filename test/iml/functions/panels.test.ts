import { describe, expect, it } from 'vitest';
import { PANELS } from '../../../src/iml/functions/panels.js';
import { FUNCTIONS } from '../../../src/iml/functions/table.js';

describe('the panels of the built-in functions', () => {
  it.each(PANELS)('load the functions they name: $names', async ({ names, load }) => {
    expect(Object.keys(await load()).sort()).toEqual([...names].sort());
  });

  it('name each function once, and all of them', () => {
    const names = PANELS.flatMap((panel) => panel.names);
    expect(names.toSorted()).toEqual(Object.keys(FUNCTIONS).sort());
  });
});
