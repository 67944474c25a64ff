import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/tools/cli/commands.js';
import { cli } from './fake-io.js';

describe('iml', () => {
  it('prints its help and exits with 2 without a command', async () => {
    const { code, out, err } = await cli([]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('Usage');
  });

  it.each([['--help'], ['-h'], ['help']])('%s lists the commands and the exit codes', async (arg) => {
    const { code, out, err } = await cli([arg]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    for (const name of Object.keys(COMMANDS)) expect(out).toContain(`  ${name} `);
    expect(out).toContain('Exit codes');
  });

  it.each([['--version'], ['-V']])('%s prints the version', async (arg) => {
    expect((await cli([arg])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('suggests a similar command, or lists all', async () => {
    expect(await cli(['rnu-all'])).toMatchObject({
      code: 2,
      err: expect.stringContaining(`There are ${Object.keys(COMMANDS).join(', ')}.`),
    });
    expect(await cli(['inf'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean "info"?'),
    });
    expect(await cli(['--vresion'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean "--version"?'),
    });
    expect(await cli(['constructor'])).toMatchObject({ code: 2 });
  });

  it.each(Object.keys(COMMANDS))('%s has help that names every option', async (name) => {
    const entry = COMMANDS[name];
    const command = entry !== undefined && 'load' in entry ? await entry.load() : undefined;
    const asOption = await cli([name, '--help']);
    expect(asOption).toMatchObject({ code: 0, err: '' });
    for (const [option, { isSetting }] of Object.entries(command?.options ?? {})) {
      expect(asOption.out).toContain(isSetting ? option : `--${option}`);
    }
    expect(await cli(['help', name])).toEqual(asOption);
    expect(await cli([name, '-h'])).toEqual(asOption);
  });

  it('gives each option name one kind of value in all commands', async () => {
    const values = new Map<string, Set<string>>();
    for (const entry of Object.values(COMMANDS)) {
      const { options } = await entry.load();
      for (const [name, { value = 'no value' }] of Object.entries(options)) {
        // The words of a choice may differ: each command has its own formats.
        const kind = /^[a-z-]+(?:\|[a-z-]+)+$/.test(value) ? 'choice' : value;
        values.set(name, (values.get(name) ?? new Set()).add(kind));
      }
    }
    const several = [...values].filter(([, forms]) => forms.size > 1);
    expect(several.map(([name, forms]) => `--${name}: ${[...forms].join(', ')}`)).toEqual([]);
  });

  it.each([
    [['eval', '{{1}}', '--jsno'], 'Unknown option "--jsno". Did you mean "--json"?'],
    [['eval', '{{1}}', '-z'], 'Unknown option "-z".'],
    [['eval', '{{1}}', '--json=yes'], 'The option "--json" takes no value.'],
    [['eval', '{{1}}', '--now'], 'The option "--now" needs a value: ISO.'],
    [
      ['eval', '{{1}}', '--now', '--json'],
      'and "--json" looks like an option. If it is the value, write --now=--json.',
    ],
    [
      ['eval', '{{1}}', '--timezone', 'UTC', '--timezone', 'UTC'],
      'The option "--timezone" is given more than once.',
    ],
    [['eval', '{{1}}', '--__proto__'], 'Unknown option "--__proto__".'],
  ])('refuses %j', async (args, message) => {
    expect(await cli(args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(message) });
  });

  it('reads an argument that looks like an option after --', async () => {
    expect(await cli(['eval', '--', '--json'])).toMatchObject({ code: 0, out: '--json\n' });
  });

  it('ends without an error if the reader of its output closes', async () => {
    const result = await cli(['eval', '{{1}}'], {
      onOut: () => {
        throw Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
      },
    });
    expect(result).toEqual({ code: 0, out: '', err: '' });
  });

  it('reports an internal error, with its stack only on request', async () => {
    const broken = {
      onOut: (): never => {
        throw new TypeError('broken');
      },
    };
    const plain = await cli(['eval', '{{1}}'], broken);
    expect(plain).toMatchObject({
      code: 1,
      err: 'Internal error: TypeError: broken\nSet IML_DEBUG=1 to print the stack trace.\n',
    });
    expect((await cli(['eval', '{{1}}'], { ...broken, env: { IML_DEBUG: '1' } })).err).toContain('    at ');
  });
});
