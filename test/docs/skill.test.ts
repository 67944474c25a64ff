import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { RULES } from '../../src/tools/check/rules.js';
import { listOptions } from '../../src/tools/cli/command.js';
import { COMMANDS } from '../../src/tools/cli/commands.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SKILL = readFileSync(path.join(ROOT, 'docs/skills/iml/SKILL.md'), 'utf8');

/** Command lines: lines of shell blocks, and code spans that begin with `iml`. */
function commandLines(): readonly string[] {
  const blocks = [...SKILL.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.split('\n'));
  const spans = [...SKILL.replace(/```[\s\S]*?```/g, '').matchAll(/`(iml [^`]+)`/g)].map(
    ([, span = '']) => span,
  );
  return [...blocks, ...spans].map((line) => line.replace(/\s#.*$/, '').trim()).filter((line) => line !== '');
}

/** Words of a command line without quoted texts. */
const wordsOf = (line: string): readonly string[] => line.replace(/'[^']*'|"[^"]*"/g, 'TEXT').split(/\s+/);

describe('the skill for assistants', () => {
  it('is short, and has the front matter that assistants choose it by', () => {
    expect(SKILL.split('\n').length).toBeLessThan(500);
    const [, head = ''] = /^---\n([\s\S]*?)\n---\n/.exec(SKILL) ?? [];
    expect(head).toMatch(/^name: iml\ndescription: .{100,1000}$/);
  });

  it.each(commandLines())('names a command and options that exist: %s', async (line) => {
    const [program, name = '', ...rest] = wordsOf(line);
    expect(program).toBe('iml');
    const command = await COMMANDS[name]?.load();
    if (command === undefined) throw new Error(`There is no command "${name}".`);
    const options = listOptions(command);
    const shorts = Object.values(options).map(({ short }) => short);
    for (const word of rest.filter((one) => one.startsWith('-'))) {
      const [, long, short] = /^--([\w-]+)|^-(\w)$/.exec(word) ?? [];
      if (long !== undefined) expect(Object.keys(options), word).toContain(long);
      else expect(shorts, word).toContain(short);
    }
  });

  it('names options outside of command lines, rules and pages that exist', async () => {
    const text = SKILL.replace(/```[\s\S]*?```/g, '');
    const commands = await Promise.all(Object.values(COMMANDS).map(({ load }) => load()));
    const known = new Set(commands.flatMap((command) => Object.keys(listOptions(command))));
    for (const [, option = ''] of text.matchAll(/(?<![\w-])--([a-z][\w-]*)/g))
      expect(known, option).toContain(option);
    for (const [, rule = ''] of SKILL.matchAll(/--explain ([a-z-]+)/g)) {
      expect(RULES.map(({ id }) => id)).toContain(rule);
    }
    for (const [, page = ''] of text.matchAll(/`(?:docs\/)?([\w-]+\.md)`/g)) {
      expect(existsSync(path.join(ROOT, 'docs', page)), page).toBe(true);
    }
  });
});
