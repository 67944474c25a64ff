import { describe, expect, it } from 'vitest';
import { printRuleList, printRulePage } from '../../src/tools/check/reports.js';
import { RULES } from '../../src/tools/check/rules.js';

describe('the pages of rules', () => {
  it('list every rule once, with a link to its page', () => {
    const links = [...printRuleList(RULES).matchAll(/^\| \[([^\]]+)\]\(([^)]+)\)/gm)].map(([, id, to]) => [
      id,
      to,
    ]);
    expect(links.toSorted()).toEqual(RULES.map(({ id }) => [id, `${id}.md`]).toSorted());
  });

  it('show why a rule exists, what it reports and what passes', () => {
    for (const rule of RULES) {
      const page = printRulePage(rule);
      for (const text of [`# ${rule.id}\n`, rule.summary, rule.why, rule.bad, rule.good])
        expect(page).toContain(text);
    }
  });
});
