import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeApp } from '../app/temp-app.js';
import { cli } from './fake-io.js';

// Line 12 of the findings: whatever an app, its files and its folder are called, no command steers a terminal with it.

const POISON = '\u009b2J\u007f\u202e\u061c\u2066\u2028\u200b\ufeff';
const TEXT = `\u001b[31m\r\u0007\u0085${POISON}`;

const STEERING =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not come out.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;
/** Colours, and the line of progress that a terminal is shown. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: written by the command itself.
const OWN = /\u001b\[[0-9;]*[mK]|\r/g;

const code = (file: string): object => ({ codeFiles: { communication: file } });
const output = { condition: `{{nope${POISON}('x')}}`, response: { output: { [TEXT]: TEXT } } };

const FILES = {
  'makecomapp.json': {
    fileVersion: 1,
    [TEXT]: 1,
    generalCodeFiles: {},
    components: {
      module: {
        good: { label: TEXT, description: TEXT, moduleType: 'action', ...code('good.imljson') },
        broken: { moduleType: TEXT, ...code(`${POISON}/broken.imljson`) },
        absent: { moduleType: 'action', ...code(`${POISON}.imljson`) },
        [TEXT]: { moduleType: 'action', ...code('good.imljson') },
        wrong: { moduleType: 'action', ...code('wrong.imljson') },
      },
      webhook: { hook: { webhookType: 'web', ...code('hook.imljson') } },
    },
  },
  'good.imljson': { response: { output: { [TEXT]: TEXT, list: [{ [TEXT]: TEXT }] } } },
  'wrong.imljson': output,
  [`${POISON}/broken.imljson`]: `{"url": "${TEXT}",, x`,
  'hook.imljson': { output: '{{body}}' },
  [`tests/good/${POISON}.test.json`]: { title: TEXT, expect: { bundles: [{ a: TEXT }] } },
  'tests/good/broken.test.json': `{"title":"${TEXT}"`,
};

/** A name that cases can have. */
const NAME = '\u001b[31m\u009b2J\u202e\u200b';

/** Loads and runs the app, to include intermediate output. */
const SOUND = {
  'makecomapp.json': {
    components: {
      module: { [NAME]: { label: TEXT, moduleType: 'action', ...code('good.imljson') } },
      webhook: { [NAME]: { webhookType: 'web', ...code('hook.imljson') } },
    },
  },
  'good.imljson': FILES['good.imljson'],
  'hook.imljson': { output: '{{body}}' },
};

const HAR = {
  log: {
    entries: [
      {
        request: { method: 'GET', url: 'https://api.example.com/', headers: [] },
        response: { status: 200, headers: [{ name: 'x-a', value: POISON }], content: { text: TEXT } },
      },
    ],
  },
};

function writeHostileApp(files: Parameters<typeof writeApp>[0] = FILES): string {
  const app = path.join(writeApp({}), `app${POISON}`);
  renameSync(writeApp(files), app);
  return app;
}

describe.each([
  ['a pipe', false],
  ['a terminal', true],
])('to %s', (_, terminal) => {
  it.each([
    [['info', '$']],
    [['info', '$', 'good']],
    [['info', '$', '--json']],
    [['check', '$']],
    [['check', '$', '--json']],
    [['check', '$', '--format', 'github']],
    [['check', '$', '--format', 'sarif']],
    [['run', '$', 'good']],
    [['run', '$', 'good', '--json']],
    [['run', '$', 'good', '--table']],
    [['run', '$', 'good', '--trace-bodies']],
    [['run', '$', 'wrong']],
    [['run', '$', 'broken']],
    [['run', '$', 'absent']],
    [['run', '$', TEXT]],
    [['run', '$', `x${TEXT}`]],
    [['run', `$${TEXT}`, 'x']],
    [['run', '$', 'good', '-p', `{"${POISON}":1}`]],
    [['run', '$', 'good', `--${TEXT}`]],
    [['webhook', '$', 'hook', '--body', JSON.stringify({ [TEXT]: TEXT })]],
    [['webhook', '$', 'hook', '--body', `{${TEXT}`]],
    [['test', '$', '--verbose']],
    ...['json', 'junit', 'github'].map((name) => [['test', '$', '--reporter', name]]),
    [['init', 'tests', '$']],
    [['connections', 'test', TEXT]],
    [[TEXT]],
  ])('%j writes no control characters', async (args) => {
    const app = writeHostileApp();
    const env = { XDG_CONFIG_HOME: path.dirname(app) };
    const { out, err } = await cli(
      args.map((arg) => arg.replace('$', app)),
      { terminal, env },
    );
    expect((out + err).length).toBeGreaterThan(0);
    const own = terminal ? OWN : /(?!)/g;
    for (const text of [out, err]) expect(STEERING.exec(text.replace(own, ''))).toBeNull();
  });

  it.each([
    [['run', '$', NAME]],
    [['init', 'tests', '$']],
    [['schemas', '$', '--write', '--workspace', '$']],
    [['test', '$', '--from-har', `$/${POISON}.har`]],
  ])('%j of an app that loads writes no control characters', async (args) => {
    const app = writeHostileApp(SOUND);
    writeFileSync(path.join(app, `${POISON}.har`), JSON.stringify(HAR));
    const {
      out,
      err,
      code: exit,
    } = await cli(
      args.map((arg) => arg.replace('$', app)),
      { terminal },
    );
    expect(exit).toBe(0);
    const own = terminal ? OWN : /(?!)/g;
    for (const text of [out, err]) expect(STEERING.exec(text.replace(own, ''))).toBeNull();
  });
});
