import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { printRuleList, printRulePage } from '../../src/tools/check/reports.js';
import { RULES } from '../../src/tools/check/rules.js';

const PAGES = path.join(import.meta.dirname, '../../docs/rules');

// `vitest -u` updates the pages.
describe('docs/rules', () => {
  it.each(RULES.map((rule) => [rule.id, rule] as const))(
    '%s.md is generated from the rule',
    async (id, rule) => {
      await expect(printRulePage(rule)).toMatchFileSnapshot(path.join(PAGES, `${id}.md`));
    },
  );

  it('README.md lists all rules', async () => {
    await expect(printRuleList(RULES)).toMatchFileSnapshot(path.join(PAGES, 'README.md'));
  });

  it('has no page of a removed rule', () => {
    const expected = [...RULES.map(({ id }) => `${id}.md`), 'README.md'].sort();
    expect(readdirSync(PAGES).sort()).toEqual(expected);
  });
});
