import { describe, expect, it } from 'vitest';
import { writeApp } from '../app/temp-app.js';
import { cli } from './fake-io.js';

const evaluates = (template: string, ...options: string[]) => cli(['eval', template, ...options]);
const shows = async (template: string, ...options: string[]): Promise<string> =>
  (await cli(['eval', template, ...options], { terminal: true })).out.trimEnd();

describe('iml eval on a terminal', () => {
  it.each([
    ['a {{"b"}}', 'text  "a b"'],
    ['{{1 + 2}}', 'number  3'],
    ['{{-1 * 0}}', 'number  -0'],
    ['{{1 = 1}}', 'boolean  true'],
    ['{{null}}', 'null'],
    ['{{parseDate("2026-01-31"; "YYYY-MM-DD")}}', 'date  2026-01-31T00:00:00.000Z'],
    ['{{toBinary("hi")}}', 'buffer  2 bytes: 68 69'],
    ['{{user}}', 'collection  {\n  "name": "Ann"\n}'],
    ['{{list}}', 'array  [\n  1,\n  2\n]'],
  ])('shows %s as %s', async (template, expected) => {
    expect(await shows(template, '--context', '{"user":{"name":"Ann"},"list":[1,2]}')).toBe(expected);
  });

  it('prints undefined and names the missing variable', async () => {
    const { out, err, code } = await cli(['eval', '{{user.nmae.first}}', '-c', '{"user":{}}'], {
      terminal: true,
    });
    expect({ out, err, code }).toEqual({
      out: 'undefined\n',
      err: 'note: "user.nmae.first" has no value.\n',
      code: 0,
    });
  });

  it('never sends control characters of a value to the terminal', async () => {
    const out = await shows('{{evil}}', '--context', JSON.stringify({ evil: '\u001b[2Jgone\u009b' }));
    expect(out).toBe('text  "\\u001b[2Jgone\\u009b"');
  });
});

describe('iml eval in a pipe', () => {
  it.each([
    ['a "b"', 'a "b"\n'],
    ['{{1 + 2}}', '3\n'],
    ['{{missing}}', 'null\n'],
    ['{{parseDate("2026-01-31"; "YYYY-MM-DD")}}', '2026-01-31T00:00:00.000Z\n'],
    ['{{add(emptyarray; 1; 2)}}', '[1,2]\n'],
  ])('prints only the value of %s', async (template, out) => {
    expect(await evaluates(template)).toMatchObject({ code: 0, out });
  });

  it('prints JSON with --json', async () => {
    expect((await evaluates('a "b"', '--json')).out).toBe('"a \\"b\\""\n');
    expect((await evaluates('{{toBinary("hi")}}', '--json')).out).toBe('"aGk="\n');
  });
});

describe('iml eval reads', () => {
  it('its context from a file, with and without @', async () => {
    const cwd = writeApp({ 'context.json': { user: { name: 'Ann' } } });
    for (const context of ['context.json', '@context.json']) {
      expect((await cli(['eval', '{{user.name}}', '--context', context], { cwd })).out).toBe('Ann\n');
    }
  });

  it('its context or its template from standard input', async () => {
    expect((await cli(['eval', '{{a}}', '--context', '@-'], { stdin: '{"a":1}' })).out).toBe('1\n');
    expect((await cli(['eval', '-'], { stdin: '{{1 + 1}}' })).out).toBe('2\n');
  });

  it('the timezone and the time', async () => {
    const { out } = await evaluates(
      '{{formatDate(now; "YYYY-MM-DD HH:mm")}}',
      ...['--now', '2026-01-31T23:30:00Z', '--timezone', 'Europe/Prague'],
    );
    expect(out).toBe('2026-02-01 00:30\n');
  });
});

describe('iml eval fails', () => {
  it('with the frame, the hint and the code of an unknown function', async () => {
    const { code, out, err } = await evaluates('Hi {{uper("a")}}');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('Did you mean');
    expect(err).toContain('IML_UNKNOWN_FUNCTION');
    expect(err).toContain('1 | Hi {{uper("a")}}\n  |      ^');
  });

  it('with the line of a template of several', async () => {
    const { code, err } = await evaluates('first\n{{if(true; 1; 2}}');
    expect(code).toBe(1);
    expect(err).toContain('2 | {{if(true; 1; 2}}');
    expect(err).toMatch(/code +IML_/);
  });

  it('with printable characters only', async () => {
    const { err } = await evaluates('{{\u001b[2J(}}');
    expect(err).not.toContain('\u001b');
  });

  it.each([
    [['{{1}}', '--timezone', 'Nowhere/Land'], '--timezone: "Nowhere/Land" is not a timezone'],
    [['{{1}}', '--now', 'yesterday'], '--now: "yesterday" is not an ISO 8601 time'],
    [['{{1}}', '--context', '{oops'], '--context: the value given is not valid JSON (at position 1).'],
    [['{{1}}', '--context', '@{1}.json'], '--context: the file "{1}.json" cannot be read (ENOENT).'],
    [['{{1}}', '--context', 'absent.json'], '--context: the file "absent.json" cannot be read (ENOENT).'],
    [['{{1}}', '--context', '@-'], '--context: the value in "-" is not valid JSON'],
    [[], 'Missing <template>'],
    [['{{1}}', '{{2}}'], 'Unexpected argument "{{2}}".'],
  ])('with exit code 2 for %j', async (args, message) => {
    const { code, out, err } = await cli(['eval', ...args]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
    expect(err).toContain('See iml eval --help.');
  });

  it('without quoting an invalid context, which may contain a secret', async () => {
    const { err } = await evaluates('{{1}}', '--context', '{"apiKey": "sk_live_123456", }');
    expect(err).not.toContain('sk_live');
  });
});
